/**
 * The films of the sync benchmark: real subtitles, spoken by the embedded engines where their cues are, over music,
 * noise, applause or room tone. The speech is cached in `node_modules/.cache/bench/sync`.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Either } from "effect"
import { fromInt16, toInt16 } from "../../src/audio/pcm/Pcm.ts"
import { resample } from "../../src/audio/pcm/Resampling.ts"
import { type BandLevels, SoundBands, soundRate } from "../../src/audio/sync/SoundBands.ts"
import { SampleRate } from "../../src/domain/time/Units.ts"
import type { Synthesizer } from "../../src/engines/local/EngineProtocol.ts"
import { readScript } from "../../src/script/ScriptFile.ts"
import { spokenWords } from "../../src/script/spoken/SpokenWords.ts"
import { background, type BackgroundName } from "./backgrounds.ts"
import { randomOf } from "./random.ts"

export const rate = SampleRate.make(16_000)

/** A subtitle of the corpus, the part of it that is filmed, and the voices that speak it. */
export interface Source {
  readonly name: string
  readonly path: string
  /** Seconds of the subtitle. */
  readonly from: number
  readonly to: number
  readonly engine: "espeak" | "flite"
  readonly voices: ReadonlyArray<string>
}

const source = (
  path: string,
  from: number,
  to: number,
  voices: ReadonlyArray<string>,
  engine: Source["engine"] = "espeak"
): Source => ({
  name: path.replace(/^.*__|\.\w+$/gu, "").replace(/^\w+\//u, ""),
  path,
  from,
  to,
  engine,
  voices
})

const english = ["en-us", "en-us+f3", "en-us+m3"]

export const sources: ReadonlyArray<Source> = [
  source("en/monero-translations__monero-means-money-workgroup-en.srt", 600, 1020, english),
  source("en/pbs-nova-sdh.part1.en.srt", 8, 480, ["en", "en-us+f2", "en-us+m7"]),
  source("en/wai-user-stories_compilation.en.vtt", 0, 420, english),
  source("en/wai-symposium2-do_no_harm.en.vtt", 300, 660, ["en+f3", "en-us"]),
  source("en/wizardtim-15.en-AU.vtt", 1, 420, ["en"]),
  source("pl/monero-translations__monero-means-money-workgroup-pl.srt", 1200, 1620, ["pl", "pl+f2"]),
  source("ru/monero-translations__monero-means-money-workgroup-ru.srt", 2000, 2420, ["ru", "ru+f3"]),
  source("es/monero-translations__monero-means-money-workgroup-es.srt", 300, 720, ["es", "es+f3"]),
  source(
    "en/monero-translations__Behavioral-Finance-Crypto-Markets-EN.srt",
    120,
    480,
    ["slt", "rms"],
    "flite"
  ),
  source("en/wai-tools-video3.en.vtt", 0, 480, english),
  source("pt-BR/monero-translations__monero-means-money-workgroup-pt_BR.srt", 3000, 3480, ["pt-br"]),
  source("fr/elephants-dream.fr.srt", 0, 660, ["fr", "fr+f3"])
]

/** Whether a source was used neither for tuning nor for training: every second one. */
export const isHeldOut = (source: number): boolean => source % 2 === 1

/** Subtitles that only the training of onsets uses. */
export const trainingSources: ReadonlyArray<Source> = [
  source("de/synfig-05-keyframes.de.srt", 0, 500, ["de", "de+f2", "de+m4"]),
  source("it/synfig-07-bones.it.srt", 0, 500, ["it", "it+f4"]),
  source("en/wai-symposium2-media_accessibility.en.vtt", 0, 420, ["en-us+m5", "en+f4", "en+m2"]),
  source("en/wizardtim-21.en-AU.vtt", 0, 420, ["awb", "slt"], "flite"),
  source("en/hf-course-09.en.srt", 0, 420, ["rms", "slt", "awb"], "flite"),
  source("en/wai-abilities-barriers_compilation.en.vtt", 0, 480, ["en+f1", "en-us+m1", "en+m6"]),
  source("fr/hf-course-07.fr.srt", 0, 420, ["fr+m3", "fr+f1"]),
  source("pt/synfig-13-converters.pt.srt", 0, 500, ["pt", "pt+f2"])
]

/** A cue, in seconds, and whether the film speaks it. */
export interface FilmCue {
  readonly start: number
  readonly end: number
  readonly spoken: boolean
  /** Where its speech begins in the film. */
  readonly onset: number
}

/** The speech of a film, and the subtitle that fits it. */
export interface Spoken {
  readonly source: Source
  readonly seconds: number
  readonly samples: Float32Array
  readonly cues: ReadonlyArray<FilmCue>
}

const corpus = join(process.cwd(), "../shared/corpus/real")
const cache = join(process.cwd(), "node_modules/.cache/bench/sync")

/** Whether the corpus is available. */
export const hasCorpus = existsSync(corpus)

const engines = new Map<Source["engine"], Synthesizer>()

const engineOf = async (name: Source["engine"]): Promise<Synthesizer> => {
  const open = engines.get(name)
  if (open !== undefined) return open
  const made =
    name === "espeak"
      ? await (await import("../../src/engines/local/EspeakThread.ts")).openEspeak()
      : await (await import("../../src/engines/local/FliteThread.ts")).openFlite()
  engines.set(name, made)
  return made
}

/** Shares of cues that nobody speaks, such as signs, and of speech that has no cue. */
const silentShare = 0.05
const uncuedShare = 0.05

/** How far speech begins from its cue, at most, in seconds. */
const onsetSpread = 0.05

/** Speaks a source, or reads its speech from the cache. */
export const spokenOf = async (from: Source): Promise<Spoken> => {
  const base = join(cache, `${from.name}-${from.from}-${from.to}`)
  if (existsSync(`${base}.json`)) {
    const bytes = readFileSync(`${base}.pcm`)
    const samples = fromInt16(new Int16Array(new Uint8Array(bytes).buffer))
    return { source: from, samples, ...JSON.parse(readFileSync(`${base}.json`, "utf8")) }
  }
  const spoken = await speak(from)
  mkdirSync(cache, { recursive: true })
  const pcm = toInt16(spoken.samples)
  writeFileSync(`${base}.pcm`, new Uint8Array(pcm.buffer, pcm.byteOffset, pcm.byteLength))
  writeFileSync(`${base}.json`, JSON.stringify({ seconds: spoken.seconds, cues: spoken.cues }))
  return spoken
}

const speak = async (from: Source): Promise<Spoken> => {
  const script = Either.getOrThrow(readScript(readFileSync(join(corpus, from.path)), from.path))
  if (script._tag !== "Subtitle") throw new Error(`${from.path} has no times`)
  const times = new Map(script.cues.map((cue) => [cue.index, cue]))
  const { cues } = spokenWords(script, {}, [], { speakers: [], pauses: {} })
  const random = randomOf(from.name.length + from.from)
  const seconds = from.to - from.from
  const samples = new Float32Array(seconds * rate)
  const engine = await engineOf(from.engine)
  const filmed: Array<FilmCue> = []
  let speaker = 0
  for (const [at, cue] of cues.entries()) {
    const time = times.get(cue.cue)
    if (time === undefined || !("parts" in cue)) continue
    const start = time.start / 1000 - from.from
    const end = time.end / 1000 - from.from
    if (start < 0.2 || end > seconds - 1 || end - start < 0.3) continue
    const next = (times.get(cues[at + 1]?.cue ?? -1)?.start ?? Infinity) / 1000 - from.from
    if (random() < 0.4) speaker++
    const voice = from.voices[speaker % from.voices.length] ?? ""
    const words = cue.parts.map(({ said }) => said).join(" ")
    const onset = start + (2 * random() - 1) * onsetSpread
    const room = Math.min(Math.max(end, start + 0.5), next - 0.02) - onset
    const isSpoken = random() >= silentShare
    if (isSpoken) {
      const said = fitted(engine, voice, words, room)
      const first = Math.round(onset * rate)
      for (let k = 0; k < said.length && first + k < samples.length; k++) samples[first + k]! += said[k]!
    }
    if (random() >= uncuedShare) filmed.push({ start, end, spoken: isSpoken, onset })
  }
  let power = 0
  let active = 0
  for (const sample of samples) if (sample !== 0) [power, active] = [power + sample * sample, active + 1]
  const gain = 0.06 / Math.sqrt(power / active)
  return { source: from, seconds, samples: samples.map((sample) => sample * gain), cues: filmed }
}

/** Speaks words within `room` seconds: faster if they are too long, and cut off if they are still too long. */
const fitted = (engine: Synthesizer, voice: string, words: string, room: number): Float32Array => {
  const said = (pace: number) => {
    const pieces = words.split(/\s+/u).map((text) => ({ text, english: false }))
    const spoken = engine.speak({ _tag: "Sentence", voice, rate: pace, pitch: 0, pieces })
    const { samples } = resample({ rate: spoken.rate, samples: fromInt16(spoken.samples) }, rate)
    return trimmed(samples)
  }
  const first = said(1.1)
  const needed = first.length / rate / room
  const whole = needed > 1 ? said(Math.min(2.5, 1.1 * needed * 1.05)) : first
  const cut = whole.slice(0, Math.max(1, Math.floor(room * rate)))
  for (let k = 0; k < Math.min(160, cut.length); k++) cut[cut.length - 1 - k]! *= k / 160
  return cut
}

/** Removes silence before and after speech. */
const trimmed = (samples: Float32Array): Float32Array => {
  const least = 0.02 * samples.reduce((most, sample) => Math.max(most, Math.abs(sample)), 0)
  let from = 0
  let to = samples.length
  while (from < to && Math.abs(samples[from]!) < least) from++
  while (to > from && Math.abs(samples[to - 1]!) < least) to--
  return samples.slice(from, to)
}

/** The band levels of a film's sound. */
export const bandsOf = (samples: Float32Array): BandLevels => {
  const sound = new SoundBands()
  sound.push(resample({ rate, samples }, SampleRate.make(soundRate)).samples)
  return sound.result()
}

/** Mixes a film's speech with a background at a ratio of their levels, in decibels. */
export const mixed = (
  { samples }: Spoken,
  name: BackgroundName,
  ratio: number,
  seed: number
): Float32Array => {
  const sound = background(name, seed)
  let power = 0
  for (const sample of sound) power += sample * sample
  const gain = (0.06 / Math.sqrt(power / sound.length)) * 10 ** (-ratio / 20)
  return samples.map((sample, k) => sample + gain * sound[k % sound.length]!)
}
