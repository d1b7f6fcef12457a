/**
 * Benchmarks the comparison of subtitles with films, on films whose correct times are known. The embedded engines speak
 * real subtitles over music, noise, applause and room tone at 20, 10, 5 and 0 dB. Then the subtitle is shifted,
 * stretched, cut or left alone. ffsubsync's and alass's methods get the same films.
 *
 *     node bench/run.mjs sync [films]          found and residuals by kind of lie; default 64 films
 *     node bench/run.mjs sync own [films]      without the other methods, which take most of the time
 *     node bench/run.mjs sync follow [films]   `fit: { follow: speech }`; default 24 films
 *     node bench/run.mjs sync train            trains the network that finds onsets, and writes its weights
 *     node bench/run.mjs sync time [hours]     a film of two hours: time against ffmpeg's decoding, and memory
 *
 * Prints every film whose result is wrong, and the figures so far after every eighth film, since all films take hours.
 * The subtitles are those of ../shared/corpus.
 */
import { alignToFilm } from "../../src/audio/sync/FilmAlignment.ts"
import { evidenceOf } from "../../src/audio/sync/CueEvidence.ts"
import { speechTrackOf } from "../../src/audio/sync/SpeechTrack.ts"
import { judgeFit, type SubtitleFit } from "../../src/audio/sync/SubtitleFit.ts"
import { type Aligned, byCorrelation, bySplits, energySpeech } from "./baselines.ts"
import { backgroundNames } from "./backgrounds.ts"
import { bandsOf, hasCorpus, mixed, sources, spokenOf } from "./films.ts"
import { measureFollowing } from "./follow.ts"
import { measureTime } from "./time.ts"
import { trainOnsets } from "./training.ts"
import { type Lie, type Variant, variantsOf } from "./variants.ts"

const ratios = [20, 10, 5, 0] as const

/** How well a method did on one variant. */
interface Trial {
  readonly ratio: number
  readonly lie: Lie
  /** The 95th percentile of |corrected start − true start|, in seconds. */
  readonly residual: number
  readonly method: string
  /** Whether the thresholds were not tuned on this film. */
  readonly heldOut: boolean
}

const percentile95 = (values: ReadonlyArray<number>): number =>
  [...values].sort((a, b) => a - b)[Math.floor((values.length - 1) * 0.95)] ?? 0

/** The residual of a variant after a correction. */
const residualOf = ({ cues }: Variant, correct: (time: number, cue: number) => number): number =>
  percentile95(
    cues.flatMap(({ start, truth }, k) =>
      truth === undefined ? [] : [Math.abs(correct(start, k) - truth.start)]
    )
  )

const byAligned = (variant: Variant, { rate, shifts }: Aligned): number =>
  residualOf(variant, (time, cue) => time * rate + shifts[cue]!)

/** Returns the outcome of a job with `sync: auto`. */
const byFit = (variant: Variant, { verdict, rate, pieces }: SubtitleFit): number =>
  residualOf(variant, (time, cue) => {
    if (verdict !== "shifted" && verdict !== "rate" && verdict !== "pieces") return time
    return time * rate + pieces.find(({ first, until }) => cue >= first && cue < until)!.offset
  })

const peers = [
  ["ffsubsync's", byCorrelation],
  ["alass's", bySplits]
] as const

/** Whether `sync: auto` would change times, but for its limit of unsupported cues. */
const wouldApply = ({ verdict, confidence }: SubtitleFit): boolean =>
  (verdict === "shifted" || verdict === "rate" || verdict === "pieces") && confidence >= 0.95

const expected: Readonly<Record<Lie, SubtitleFit["verdict"]>> = {
  untouched: "in-sync",
  shift: "shifted",
  rate: "rate",
  cuts: "pieces"
}

/** The variants of one film: all kinds, another choice for each film. */
const chosen = (all: ReadonlyArray<Variant>, film: number): ReadonlyArray<Variant> =>
  [
    [1, all.filter(({ lie }) => lie === "untouched")] as const,
    [5, all.filter(({ lie }) => lie === "shift")] as const,
    [5, all.filter(({ lie }) => lie === "rate")] as const,
    [3, all.filter(({ lie }) => lie === "cuts")] as const
  ].flatMap(([count, some]) =>
    Array.from({ length: count }, (_, k) => some[(film * count + k * 7 + film) % some.length]!).filter(
      (one, k, list) => list.indexOf(one) === k
    )
  )

const measure = async (count: number, withPeers: boolean) => {
  const trials: Array<Trial> = []
  const confidences: Array<string> = []
  for (let film = 0; film < count; film++) {
    const ratio = ratios[film % 4]!
    const name = backgroundNames[Math.floor(film / 4) % 4]!
    const source = sources[(film * 5 + Math.floor(film / 16)) % sources.length]!
    const spoken = await spokenOf(source)
    const foreign = await spokenOf(sources[(film * 5 + 3) % sources.length]!)
    const bands = bandsOf(mixed(spoken, name, ratio, film))
    const track = speechTrackOf(bands)
    const evidence = evidenceOf(track)
    const voices = withPeers ? [energySpeech(bands), track.speech.map((value) => (value > 127 ? 1 : 0))] : []
    const heldOut = Math.floor(film / 2) % 2 === 1
    for (const variant of chosen(variantsOf(spoken.cues, foreign.cues, film), film)) {
      const fit = judgeFit(alignToFilm(evidence, variant.cues), variant.cues)
      const residual = byFit(variant, fit)
      trials.push({ ratio, lie: variant.lie, residual, method: "dubwright", heldOut })
      const small = variant.lie === "shift" && Math.abs(variant.offset) < 0.5
      const wanted = small ? [expected.shift, "in-sync"] : [expected[variant.lie]]
      const isRight = wanted.includes(fit.verdict) && (residual <= 0.08 || fit.verdict === "in-sync")
      confidences.push(
        `${isRight ? "right" : "wrong"} ${fit.verdict} ${fit.confidence.toFixed(3)}${wouldApply(fit) ? " applied" : ""}`
      )
      if (!isRight)
        process.stdout.write(
          `${source.name} ${name} ${ratio} dB, ${variant.name} (${variant.offset}): ${fit.verdict} ×${fit.rate.toFixed(5)} ` +
            `${fit.pieces.map(({ first, offset }) => `${first}:${offset.toFixed(2)}`).join(" ")} ` +
            `confidence ${fit.confidence.toFixed(2)}, residual ${residual.toFixed(3)} s\n`
        )
      for (const [method, align] of peers) {
        // Each has the detector of speech that suits it better in this case.
        const both = voices.map((voice) => byAligned(variant, align(voice, variant.cues)))
        if (both.length > 0)
          trials.push({ ratio, lie: variant.lie, residual: Math.min(...both), method, heldOut })
      }
    }
    process.stdout.write(`film ${film + 1} of ${count}: ${source.name}, ${name}, ${ratio} dB\n`)
    if (film % 8 === 7 && film + 1 < count) report(trials)
  }
  report(trials)
  process.stdout.write("held out:\n")
  report(trials.filter(({ heldOut }) => heldOut))
  const falsely = confidences.filter((line) => line.startsWith("wrong") && !line.includes("unsure"))
  process.stdout.write(
    `wrong, and applied by sync: auto: ${falsely.filter((line) => line.endsWith("applied")).length}\n` +
      `wrong and not unsure: ${falsely.length} of ${confidences.length}: ${falsely.join(", ")}\n`
  )
}

/** A correction is found if 95 % of the cues are then within this many seconds of the truth. */
const foundWithin = 0.25

const report = (trials: ReadonlyArray<Trial>) => {
  const methods = [...new Set(trials.map(({ method }) => method))]
  for (const lie of ["untouched", "shift", "rate", "cuts"] as const)
    for (const ratio of ratios) {
      const cells = methods.map((method) => {
        const mine = trials.filter((one) => one.lie === lie && one.ratio === ratio && one.method === method)
        const found = mine.filter(({ residual }) => residual <= foundWithin)
        const worst = percentile95(found.map(({ residual }) => residual))
        return `${method} ${found.length}/${mine.length}, residual ${(1000 * worst).toFixed(0)} ms`
      })
      process.stdout.write(`${lie.padEnd(10)} ${`${ratio} dB`.padStart(5)}  ${cells.join("   ")}\n`)
    }
}

const [first = "64", second = "64"] = process.argv.slice(2)
if (!hasCorpus) process.stdout.write("skipped: ../shared/corpus is missing\n")
else if (first === "time") await measureTime(Number(process.argv[3] ?? 2))
else if (first === "follow") await measureFollowing(Number(process.argv[3] ?? 24))
else if (first === "train") await trainOnsets()
else if (first === "own") await measure(Number(second), false)
else await measure(Number(first), true)
