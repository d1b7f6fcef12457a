/** The `demo` command: dubs a short scene in a temporary folder, without a network or an account. */
import { FileSystem, Path } from "@effect/platform"
import { Effect } from "effect"
import { Screen } from "../terminal/Screen.ts"
import { runCommand } from "./RunCommand.ts"

export interface DemoOptions {
  readonly json: boolean
  readonly quiet: boolean
  readonly verbose: boolean
}

export const demoCommand = (options: DemoOptions) =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    const path = yield* Path.Path
    const screen = yield* Screen
    // The folder is not deleted, so that users can look at the results.
    const folder = yield* fs.makeTempDirectory({ prefix: "dubwright-demo-" })
    for (const [name, text] of demoFiles) yield* fs.writeFileString(path.join(folder, name), text)
    if (!options.quiet)
      yield* screen.say(`demo: a scene of 12 seconds in English and Vietnamese, in ${folder}`)
    yield* runCommand({ ...defaults, ...options, inputs: [path.join(folder, demoManifest)] })
    if (!options.quiet) yield* screen.say(`demo: open ${path.join(folder, "out", "index.html")}`)
  })

const defaults = {
  embedded: true,
  baseUrl: undefined,
  out: undefined,
  state: undefined,
  only: undefined,
  voice: undefined,
  provider: undefined,
  model: undefined,
  language: undefined,
  maxCredits: undefined,
  force: false,
  deadline: undefined,
  events: false,
  fleet: undefined,
  share: undefined,
  log: undefined
}

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
const demoManifest = "demo.yaml"

/** The demo's files: names and texts. */
const demoFiles: ReadonlyArray<readonly [name: string, text: string]> = [
  [demoManifest, manifest],
  ["lighthouse.en.srt", subtitle(english)],
  ["lighthouse.vi.srt", subtitle(vietnamese)]
]
