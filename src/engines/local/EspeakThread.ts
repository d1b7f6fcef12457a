/**
 * eSpeak NG inside its thread. Left to itself it speaks the same text differently each time, since it carries state
 * from one utterance to the next; here its whole memory is put back to one early moment before each sentence.
 */
import load, { type Espeak, type EspeakEvent, type EspeakModule } from "@echogarden/espeak-ng-emscripten"
import { joinedInt16 } from "../../audio/formats/Int16.ts"
import { SampleRate } from "../../domain/time/Units.ts"
import { espeakText, type Inlined, spansOf, wordAlone } from "./EspeakText.ts"
import { JobRefused, type Piece, type SentenceJob, type Synthesizer } from "./EngineProtocol.ts"

const rate = SampleRate.make(22_050)
const variantsFolder = "/usr/share/espeak-ng-data/voices/!v"
/** The longest text ever passed, in bytes; far more than the longest part of a sentence takes. */
const longestText = 8_192
/** Words a minute at rate 1, and the engine's limits. */
const ownPace = 175
const slowest = 80
const fastest = 450

/** Opens the engine. */
export const openEspeak = async (): Promise<Synthesizer> => {
  const { module, espeak, restore } = await atOneMoment(async () => {
    const module = await load()
    const espeak = new module.eSpeakNGWorker()
    espeak.set_voice("en")
    // The package keeps a buffer for texts on JavaScript's side, which grows for a longer one and would then point to
    // memory that putting it back has made free: so it is grown once, now, to hold any text.
    espeak.convert_to_phonemes(" ".repeat(longestText), false)
    espeak.synthesize("a", () => false)
    return { module, espeak, restore: restorer(module) }
  })
  const found = espeak.list_voices()
  return {
    voices: () => ({
      voices: found.map((voice) => ({
        id: fileName(voice.identifier),
        name: voice.name.trim(),
        languages: voice.languages.map((language) => language.name)
      })),
      variants: module.FS.readdir(variantsFolder).filter((name) => !name.startsWith("."))
    }),
    speak: (job) => {
      restore()
      const inlined = englishPhonemes(module, espeak, job)
      if (espeak.set_voice(job.voice) !== 0) throw new JobRefused(`eSpeak NG knows no voice "${job.voice}"`)
      espeak.set_rate(Math.min(fastest, Math.max(slowest, Math.round(ownPace * job.rate))))
      const pitch = pitchSettings(job.pitch)
      espeak.set_pitch(pitch.base)
      espeak.set_range(pitch.range)
      const built = espeakText(job.pieces, inlined, phonemeTable(job.voice))
      if (Buffer.byteLength(built.text) >= longestText)
        throw new JobRefused("the part is too long for eSpeak NG")
      const blocks: Array<Int16Array> = []
      const events: Array<EspeakEvent> = []
      espeak.synthesize(built.text, (samples, among) => {
        blocks.push(samples)
        events.push(...among)
        return false
      })
      return { rate, samples: joinedInt16(blocks), spans: spansOf(events, built.starts) }
    }
  }
}

/** Runs with the clock of this thread stopped: the engine seeds its noises with the time at which it is opened. */
const atOneMoment = async <A>(open: () => Promise<A>): Promise<A> => {
  const clock = Date.now
  Date.now = () => 0
  try {
    return await open()
  } finally {
    Date.now = clock
  }
}

/** A function that puts the module's memory back to what it is now. */
const restorer = (module: EspeakModule): (() => void) => {
  const moment = module.HEAP8.slice()
  return () => {
    module.HEAP8.set(moment)
    if (module.HEAP8.length > moment.length) module.HEAP8.fill(0, moment.length)
  }
}

/** "aav/vi-VN-x-central" is known to its users as "vi-vn-x-central". */
const fileName = (identifier: string): string =>
  identifier.slice(identifier.lastIndexOf("/") + 1).toLowerCase()

/** The engine's base is 0 to 100, fifty steps an octave around 50; its range is a share of the voice's own at 50. */
const pitchSettings = (semitones: number): { readonly base: number; readonly range: number } => {
  const octaves = Math.min(1, Math.max(-1, semitones / 12))
  return { base: Math.round(50 + 50 * octaves), range: Math.round(50 * 2 ** octaves) }
}

/** The phonemes of each English piece, in the engine's own notation. */
const englishPhonemes = (
  module: EspeakModule,
  espeak: Espeak,
  job: SentenceJob
): ReadonlyMap<Piece, Inlined> => {
  const found = new Map<Piece, Inlined>()
  if (!job.pieces.some((piece) => piece.english)) return found
  espeak.set_voice("en")
  for (const piece of job.pieces) {
    if (!piece.english) continue
    found.set(piece, cString(module, espeak.convert_to_phonemes(wordAlone(piece.text).word, false).ptr))
  }
  return found
}

/** The table to which a voice returns after a word in English phonemes. */
const phonemeTable = (voice: string): string => {
  const base = voice.replace(/\+.*$/u, "")
  if (base === "vi-vn-x-central") return "vi-hue"
  if (base === "vi-vn-x-south") return "vi-sgn"
  return base
}

const cString = (module: EspeakModule, address: number): string => {
  const end = module.HEAPU8.indexOf(0, address)
  return new TextDecoder().decode(module.HEAPU8.subarray(address, end))
}
