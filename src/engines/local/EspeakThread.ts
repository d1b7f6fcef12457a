/**
 * eSpeak NG inside its thread. The engine carries state from one utterance to the next, so the same text would sound
 * different each time. To be deterministic, its whole memory is restored from a snapshot before each sentence.
 */
import type { Espeak, EspeakEvent, EspeakModule } from "@echogarden/espeak-ng-emscripten"
import { joinedInt16 } from "../../audio/formats/Int16.ts"
import { SampleRate } from "../../domain/time/Units.ts"
import { espeakText, type Inlined, spansOf, wordAlone } from "./EspeakText.ts"
import { JobRefused, type Piece, type SentenceJob, type Synthesizer } from "./EngineProtocol.ts"

const rate = SampleRate.make(22_050)
const variantsFolder = "/usr/share/espeak-ng-data/voices/!v"
/** Maximum bytes of a text; far more than the longest part of a sentence needs. */
const maxText = 8_192
/** Words per minute at rate 1, and the engine's limits. */
const ownPace = 175
const slowest = 80
const fastest = 450

/** Loads the package. An installation without GPL parts lacks it; the other engines still work. */
const loadModule = async (): Promise<EspeakModule> => {
  try {
    const { default: load } = await import("@echogarden/espeak-ng-emscripten")
    return await load()
  } catch (cause) {
    if (cause instanceof Error && "code" in cause && cause.code === "ERR_MODULE_NOT_FOUND")
      throw new Error("eSpeak NG is not installed; install the npm package @echogarden/espeak-ng-emscripten")
    throw cause
  }
}

/** Opens the engine. */
export const openEspeak = async (): Promise<Synthesizer> => {
  const { module, espeak, restore } = await atOneMoment(async () => {
    const module = await loadModule()
    const espeak = new module.eSpeakNGWorker()
    espeak.set_voice("en")
    // The package keeps a pointer to its text buffer in JavaScript and reallocates the buffer for longer texts. After a
    // restore, such a pointer would be invalid. So the buffer grows once, before the snapshot, to the maximum size.
    espeak.convert_to_phonemes(" ".repeat(maxText), false)
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
      if (espeak.set_voice(job.voice) !== 0)
        throw new JobRefused(
          `eSpeak NG has no voice "${job.voice}"; choose one that "dubwright voices" lists`
        )
      espeak.set_rate(Math.min(fastest, Math.max(slowest, Math.round(ownPace * job.rate))))
      const pitch = pitchSettings(job.pitch)
      espeak.set_pitch(pitch.base)
      espeak.set_range(pitch.range)
      const built = espeakText(job.pieces, inlined, phonemeTable(job.voice))
      if (Buffer.byteLength(built.text) >= maxText)
        throw new JobRefused("the sentence is too long for eSpeak NG; divide it by punctuation")
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

/** Runs with this thread's clock fixed at 0: the engine seeds its noise generator with the time at which it opens. */
const atOneMoment = async <A>(open: () => Promise<A>): Promise<A> => {
  const clock = Date.now
  Date.now = () => 0
  try {
    return await open()
  } finally {
    Date.now = clock
  }
}

/**
 * Returns a function that restores the module's memory. Copies only the 1.2 MB in use at start-up, not all 17 MB.
 * Skips pages that are still zero, because writing them would commit memory.
 */
const restorer = (module: EspeakModule): (() => void) => {
  const opened = bytesOf(module)
  const moment = Buffer.from(opened.subarray(0, usedLength(opened)))
  return () => {
    const memory = bytesOf(module)
    memory.set(moment)
    for (let at = moment.length; at < memory.length; at += zeros.length) {
      const page = memory.subarray(at, at + zeros.length)
      if (!page.equals(zeros.subarray(0, page.length))) page.fill(0)
    }
  }
}

const zeros = Buffer.alloc(65_536)

/** Returns the module's current memory. Growing it replaces the buffer. */
const bytesOf = ({ HEAP8 }: EspeakModule): Buffer =>
  Buffer.from(HEAP8.buffer, HEAP8.byteOffset, HEAP8.byteLength)

/** Returns the number of bytes before the trailing zeros. */
const usedLength = (memory: Buffer): number => {
  let end = memory.length
  while (end > 0 && memory[end - 1] === 0) end--
  return end
}

/** Returns the voice id of an identifier: "vi-vn-x-central" for "aav/vi-VN-x-central". */
const fileName = (identifier: string): string =>
  identifier.slice(identifier.lastIndexOf("/") + 1).toLowerCase()

/**
 * Converts semitones to the engine's scales. Its base is 0 to 100, 50 steps per octave around 50. Its range scales the
 * voice's own range, which is 50. Clamped to one octave.
 */
const pitchSettings = (semitones: number): { readonly base: number; readonly range: number } => {
  const octaves = Math.min(1, Math.max(-1, semitones / 12))
  return { base: Math.round(50 + 50 * octaves), range: Math.round(50 * 2 ** octaves) }
}

/** Returns the phonemes of each English piece, in the engine's notation. */
const englishPhonemes = (module: EspeakModule, espeak: Espeak, job: SentenceJob) => {
  const found = new Map<Piece, Inlined>()
  if (!job.pieces.some((piece) => piece.english)) return found
  espeak.set_voice("en")
  for (const piece of job.pieces) {
    if (!piece.english) continue
    found.set(piece, cString(module, espeak.convert_to_phonemes(wordAlone(piece.text).word, false).ptr))
  }
  return found
}

/** Returns a voice's phoneme table, restored after a word in English phonemes. */
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
