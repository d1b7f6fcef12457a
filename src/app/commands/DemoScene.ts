/** The demo's scene: two speakers, in English and Vietnamese, with the manifest that dubs both. */

const times = [
  ["00:00:00,500", "00:00:03,000"],
  ["00:00:03,300", "00:00:06,400"],
  ["00:00:06,800", "00:00:09,600"],
  ["00:00:10,000", "00:00:12,800"]
] as const

const english = [
  "LAN: The lighthouse is dark again.",
  "MINH: I brought a new lamp from the harbour.",
  "LAN: Then climb with me, 84 steps.",
  "MINH: And tomorrow the boats come home."
] as const

const vietnamese = [
  "LAN: Ngọn hải đăng lại tắt rồi.",
  "MINH: Tôi mang một chiếc đèn mới từ bến cảng.",
  "LAN: Vậy thì leo cùng tôi, 84 bậc.",
  "MINH: Và ngày mai thuyền sẽ về nhà."
] as const

const subtitle = (lines: ReadonlyArray<string>): string =>
  times.map(([from, to], at) => `${at + 1}\n${from} --> ${to}\n${lines[at] ?? ""}\n`).join("\n")

const manifest = `name: demo
service: embedded
defaults: { provider: provider_native }
jobs:
  - id: lighthouse-en
    input: lighthouse.en.srt
    language: en
    speakers: { LAN: { voice: en-anna }, MINH: { voice: en-bo } }
  - id: lighthouse-vi
    input: lighthouse.vi.srt
    language: vi
    speakers: { LAN: { voice: vi-mai }, MINH: { voice: vi-nam } }
`

/** The demo's manifest, among `demoFiles`. */
export const demoManifest = "demo.yaml"

/** The demo's files: names and texts. */
export const demoFiles: ReadonlyArray<readonly [name: string, text: string]> = [
  [demoManifest, manifest],
  ["lighthouse.en.srt", subtitle(english)],
  ["lighthouse.vi.srt", subtitle(vietnamese)]
]
