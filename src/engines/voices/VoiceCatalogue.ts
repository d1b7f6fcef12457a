/** The neural voices that `dubwright voices add` knows: only those whose size, digest and licence are known. */
import type { VoiceLicence } from "./VoiceRecord.ts"

/** A voice that can be downloaded. */
export interface CataloguedVoice {
  readonly id: string
  readonly name: string
  /** Addresses of the same archive, to try in order. */
  readonly addresses: readonly [string, ...ReadonlyArray<string>]
  readonly bytes: number
  readonly sha256: string
  /** Maximum bytes of the unpacked files. */
  readonly unpacked: number
  readonly licence: VoiceLicence
  /** BCP 47. */
  readonly languages: ReadonlyArray<string>
  /** Number of speakers. */
  readonly speakers: number
  /** Whether to propose it to people who have no voice for a language. */
  readonly proposed: boolean
}

const release = "https://github.com/k2-fsa/sherpa-onnx/releases/download/tts-models"

/** The voices, those to propose first. */
export const voiceCatalogue: ReadonlyArray<CataloguedVoice> = [
  {
    id: "vi_VN-vais1000-medium",
    name: "VAIS1000 (Northern Vietnamese)",
    addresses: [`${release}/vits-piper-vi_VN-vais1000-medium.tar.bz2`],
    bytes: 67_154_040,
    sha256: "fa1367710767d36ed5cf13b4a449e20c35ffd12791c2e47c2e64142bfa55551a",
    unpacked: 140_000_000,
    licence: {
      name: "MIT, trained on data under CC BY 4.0",
      note: "it was adapted from the English voice lessac, whose recordings are for research only",
      attribution: "Voice trained on the VAIS-1000 Vietnamese speech corpus (CC BY 4.0)"
    },
    languages: ["vi-VN"],
    speakers: 1,
    proposed: true
  },
  {
    id: "supertonic-3",
    name: "Supertonic 3",
    addresses: [`${release}/sherpa-onnx-supertonic-3-tts-int8-2026-05-11.tar.bz2`],
    bytes: 128_774_318,
    sha256: "82fa96f91c4ef8abaae3a14a3f4153facf88bed821d1f7331cec2700f432c427",
    unpacked: 200_000_000,
    licence: { name: "OpenRAIL-M", note: "it forbids some uses; read its LICENSE file" },
    languages:
      "en vi ko ja ar bg cs da de el es et fi fr hi hr hu id it lt lv nl pl pt ro ru sk sl sv tr uk".split(
        " "
      ),
    speakers: 10,
    proposed: true
  },
  {
    id: "kitten-nano-en-v0_8-int8",
    name: "Kitten Nano",
    addresses: [`${release}/kitten-nano-en-v0_8-int8.tar.bz2`],
    bytes: 31_220_690,
    sha256: "6fa5be852612ce761094ba74ee6123b4fc4acfefa79bf64dc63acae4a83af2fd",
    unpacked: 100_000_000,
    licence: { name: "Apache 2.0" },
    languages: ["en-US"],
    speakers: 8,
    proposed: true
  },
  {
    id: "vi_VN-vivos-x_low",
    name: "VIVOS (Vietnamese)",
    addresses: [`${release}/vits-piper-vi_VN-vivos-x_low.tar.bz2`],
    bytes: 33_409_065,
    sha256: "bee4ce76bdf4cc82c17b451c40d6244c5e87d2e847703ab4986c3243c43f8a5d",
    unpacked: 100_000_000,
    licence: {
      name: "CC BY-NC-SA 4.0",
      note: "not for commercial use",
      attribution: "Voice trained on the VIVOS corpus (CC BY-NC-SA 4.0)"
    },
    languages: ["vi-VN"],
    speakers: 65,
    proposed: false
  }
]
