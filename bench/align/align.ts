/**
 * Measures how well words are found in speech without times, by aligning it with eSpeak NG's.
 *
 * Cuts: neighbouring cues of real subtitles are spoken as one text. In English, three voices of Flite speak them, and
 * the times of its phones are the true ones. In Vietnamese, eSpeak NG's other voices speak them. A cut's error is its
 * distance from the gap between the last word before it and the first word after it.
 *
 * Faults: the same clips cut to 60 %, said twice, with three words missing, and saying another text.
 *
 * To measure compiled code, it first aligns some clips without timing them.
 *
 *     node bench/run.mjs align [folder] [clips]
 */
import { existsSync } from "node:fs"
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { Array } from "effect"
import type { Piece, Synthesizer } from "../../src/engines/local/EngineProtocol.ts"
import { openEspeak } from "../../src/engines/local/EspeakThread.ts"
import { openFlite } from "../../src/engines/local/FliteThread.ts"
import { alignWithReference } from "../../src/engines/local/alignment/ReferenceAlignment.ts"
import { misfitOf } from "../../src/audio/alignment/SpeechFit.ts"
import { cueTexts } from "./cueTexts.ts"

const folder = process.argv[2] ?? "../shared/corpus/real"
const most = Number(process.argv[3] ?? 60)
if (!existsSync(folder)) {
  console.log(`no subtitles at ${folder}: nothing to measure`)
  process.exit()
}

const [espeak, flite] = await Promise.all([openEspeak(), openFlite()])

/** A voice that speaks the clips, and the voice of the reference. */
interface Setting {
  readonly name: string
  readonly engine: Synthesizer
  readonly voice: string
  readonly reference: string
  readonly rate: number
  readonly pitch: number
  readonly file: string
}

const english = { engine: flite, reference: "en-us", rate: 1, pitch: 0, file: "en/hf-course-07.en.srt" }
const vietnamese = { engine: espeak, reference: "vi", file: "vi/tor-animation.part1.vi.srt" }
const settings: ReadonlyArray<Setting> = [
  { ...english, name: "English, Flite SLT", voice: "slt" },
  { ...english, name: "English, Flite RMS", voice: "rms" },
  { ...english, name: "English, Flite KAL16", voice: "kal16" },
  { ...vietnamese, name: "Vietnamese, slow and high", voice: "vi+f3", rate: 0.8, pitch: 5 },
  { ...vietnamese, name: "Vietnamese, south, fast", voice: "vi-vn-x-south", rate: 1.2, pitch: -4 }
]

const piecesOf = (text: string): ReadonlyArray<Piece> =>
  text
    .split(/\s+/u)
    .filter((word) => /[\p{L}\p{N}]/u.test(word))
    .map((word) => ({ text: word, english: false }))

const speak = ({ engine, voice, rate, pitch }: Setting, pieces: ReadonlyArray<Piece>) =>
  engine.speak({ _tag: "Sentence", voice, rate, pitch, pieces })

type Sound = { readonly rate: number; readonly samples: Int16Array }

const align = (setting: Setting, pieces: ReadonlyArray<Piece>, { rate, samples }: Sound, compare = false) =>
  alignWithReference(espeak, {
    _tag: "Align",
    voice: setting.reference,
    parts: [pieces],
    sound: { rate, samples },
    compare
  })

const fitOf = ({ strangeness, ...fit }: ReturnType<typeof align>) => ({
  ...fit,
  strangeness: strangeness ?? 0
})
const stallOf = (one: ReturnType<typeof align>): number => Math.max(one.skipped, one.added)

const quantile = (values: ReadonlyArray<number>, share: number): number =>
  [...values].sort((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))] ?? 0

/** Chance that a faulty clip has a higher value than a good one. */
const areaUnder = (good: ReadonlyArray<number>, faulty: ReadonlyArray<number>): number => {
  let wins = 0
  for (const one of good) for (const other of faulty) wins += other > one ? 1 : other === one ? 0.5 : 0
  return wins / Math.max(1, good.length * faulty.length)
}

/** Collects the engines' garbage first, which would otherwise count as the alignment's. */
setFlagsFromString("--expose-gc")
const collect: () => void = runInNewContext("gc")

/** Pairs of neighbouring cues. */
const groupsOf = ({ file }: Setting): ReadonlyArray<ReadonlyArray<string>> =>
  Array.chunksOf(cueTexts(folder, file), 2)
    .filter(({ length }) => length === 2)
    .slice(0, most)

/** Clips of each setting that are aligned before the measurement. By then, V8 has compiled the code. */
const unmeasured = 8
for (const setting of settings)
  for (const cues of groupsOf(setting).slice(0, unmeasured)) {
    const pieces = cues.flatMap(piecesOf)
    align(setting, pieces, speak(setting, pieces))
  }

for (const setting of settings) {
  const groups = groupsOf(setting)
  const errors: Array<number> = []
  const anywhere: Array<number> = []
  const good: Array<ReturnType<typeof align>> = []
  const faults: Readonly<Record<string, Array<ReturnType<typeof align>>>> = {
    "cut to 60 %": [],
    "said twice": [],
    "three words missing": [],
    "another text": []
  }
  let processor = 0
  let seconds = 0
  for (const [index, cues] of groups.entries()) {
    const pieces = cues.flatMap(piecesOf)
    const clip = speak(setting, pieces)
    seconds += clip.samples.length / clip.rate
    collect()
    const before = process.cpuUsage()
    const found = align(setting, pieces, clip)
    const { user, system } = process.cpuUsage(before)
    processor += (user + system) / 1000
    const boundary = piecesOf(cues[0] ?? "").length
    const spans = found.spans[0] ?? []
    for (let word = 1; word < pieces.length; word++) {
      const [ended, next, estimated, following] = [
        clip.spans[word - 1],
        clip.spans[word],
        spans[word - 1],
        spans[word]
      ]
      if (!ended || !next || !estimated || !following) continue
      const cut = (estimated.end + following.start) / 2
      const error = Math.max(0, ended.end - cut, cut - next.start)
      anywhere.push(error)
      if (word === boundary) errors.push(error)
    }
    good.push(align(setting, pieces, clip, true))
    const { rate, samples } = clip
    const shorter = samples.slice(0, Math.round(samples.length * 0.6))
    const twice = new Int16Array(2 * samples.length)
    twice.set(samples)
    twice.set(samples, samples.length)
    const other = groups[(index + 1) % groups.length]?.flatMap(piecesOf) ?? []
    const lacking = pieces.filter((_, word) => word < boundary - 2 || word > boundary)
    faults["cut to 60 %"]?.push(align(setting, pieces, { rate, samples: shorter }))
    faults["said twice"]?.push(align(setting, pieces, { rate, samples: twice }))
    faults["three words missing"]?.push(align(setting, pieces, speak(setting, lacking)))
    faults["another text"]?.push(align(setting, pieces, speak(setting, other), true))
  }
  const share = (values: ReadonlyArray<number>, limit: number) =>
    `${((100 * values.filter((value) => value <= limit).length) / Math.max(1, values.length)).toFixed(0)} %`
  console.log(
    `\n${setting.name}: ${groups.length} clips of ${(seconds / groups.length).toFixed(1)} s, ${(processor / groups.length).toFixed(0)} ms of processor each`
  )
  for (const [name, values] of [
    ["between cues", errors],
    ["between any words", anywhere]
  ] as const)
    console.log(
      `  ${name.padEnd(20)} ${values.length} cuts, median ${quantile(values, 0.5).toFixed(0)}, p90 ${quantile(values, 0.9).toFixed(0)}, most ${quantile(values, 1).toFixed(0)} ms, ${share(values, 60)} within 60 ms`
    )
  const ratios = good.map(({ ratio }) => ratio)
  const stalls = good.map(stallOf)
  console.log(
    `  good clips: ratio ${quantile(ratios, 0).toFixed(2)} to ${quantile(ratios, 1).toFixed(2)}, stall p95 ${quantile(stalls, 0.95).toFixed(2)} s, flagged ${good.filter((one) => misfitOf(fitOf(one)) !== undefined).length}`
  )
  for (const [name, faulty] of Object.entries(faults)) {
    const value = (one: ReturnType<typeof align>) =>
      name === "another text" ? (one.strangeness ?? 0) : stallOf(one)
    const flagged = faulty.filter((one) => misfitOf(fitOf(one)) !== undefined).length
    const limit = quantile(good.map(value), 0.99)
    console.log(
      `  ${name.padEnd(20)} AUC ${areaUnder(good.map(value), faulty.map(value)).toFixed(3)}, ratio ${quantile(
        faulty.map(({ ratio }) => ratio),
        0.1
      ).toFixed(2)} to ${quantile(
        faulty.map(({ ratio }) => ratio),
        0.9
      ).toFixed(
        2
      )}, flagged ${flagged} of ${faulty.length}, above 99 % of the good ${faulty.filter((one) => value(one) > limit).length} (${limit.toFixed(2)})`
    )
  }
}
