/** Clip quality: detects defective speech without a model, from energy, clipping, the clip's end and its duration. */
import { lengthOf, peakOf, sliceOf, type Pcm } from "../pcm/Pcm.ts"
import { type Bounds, type SpeechBounds, speechIn } from "./SpeechTrim.ts"

/** A suspected defect of a clip. */
export interface Suspicion {
  readonly kind: "silent" | "holed" | "clipped" | "cut-off" | "too-long" | "too-short"
  /** The measurement, in a few words. */
  readonly detail: string
}

/** Facts about a clip that help to judge it. */
export interface ClipFacts {
  /** Code points of its text. */
  readonly characters: number
  /** Whether the text contains punctuation at which a voice may pause; true by default. */
  readonly pauses?: boolean
  /** Milliseconds per character of this voice so far: mean and standard deviation over clips. */
  readonly learned?: { readonly mean: number; readonly deviation: number }
}

/**
 * Returns the suspected defects of a clip; none for a good one. Pauses of digital silence, dense peaks and tight trims
 * may be a voice's style. Reports only defects that engines hardly ever produce on purpose. `speech` is the
 * clip's own; pass it if already computed.
 */
export const detectDefects = (
  pcm: Pcm,
  facts: ClipFacts,
  speech = speechIn(pcm)
): ReadonlyArray<Suspicion> => {
  if (speech === undefined)
    return [{ kind: "silent", detail: `${Math.round(lengthOf(pcm))} ms without speech` }]
  const { bounds } = speech
  return [
    ...holed(speech, facts.pauses ?? true),
    ...clipped(pcm),
    ...cutOff(pcm, speech),
    ...oddLength(((bounds.to - bounds.from) * 1000) / pcm.rate, facts)
  ]
}

/** Longest plausible pause in speech, in steps of 5 ms: 2.5 s. */
const maxPause = 500
/** Below this level, in decibels, there is no recorded sound at all. */
const dead = -84
/** Shortest hole that cannot be a stop consonant's closure or a word gap: 120 ms. */
const shortestHole = 24

/**
 * Detects a pause longer than 2.5 s. If the text has no punctuation inside, also detects a hole in a clip that
 * otherwise has a background. In a hole, speech drops to nothing abruptly and resumes as abruptly.
 */
const holed = ({ envelope, levels, bounds }: SpeechBounds, pauses: boolean): ReadonlyArray<Suspicion> => {
  const first = Math.ceil(bounds.from / envelope.hop)
  const last = Math.min(envelope.levels.length, Math.floor(bounds.to / envelope.hop))
  const longest = longestRun(envelope.levels, first, last, (level) => level <= levels.threshold)
  if (longest.to - longest.from > maxPause)
    return [{ kind: "holed", detail: `${(longest.to - longest.from) * 5} ms of silence inside` }]
  const hole = longestRun(envelope.levels, first, last, (level) => level < dead)
  const length = hole.to - hole.from
  let others = 0
  for (let step = first; step < last; step++)
    if ((step < hole.from || step >= hole.to) && envelope.levels[step]! < dead) others++
  // Each envelope level covers 10 ms, so the step next to the hole is half inside it.
  const before = envelope.levels[hole.from - 2] ?? dead
  const after = envelope.levels[hole.to + 1] ?? dead
  return !pauses && length >= shortestHole && others <= 2 && before > levels.sure && after > levels.sure
    ? [{ kind: "holed", detail: `${length * 5} ms missing inside a word` }]
    : []
}

const longestRun = (
  values: Float32Array,
  first: number,
  last: number,
  inside: (value: number) => boolean
): Bounds => {
  let longest = { from: first, to: first }
  let from = first
  for (let step = first; step <= last; step++) {
    if (step < last && inside(values[step]!)) continue
    if (step - from > longest.to - longest.from) longest = { from, to: step }
    from = step + 1
  }
  return longest
}

/**
 * Detects clipping: runs of four or more samples at the very peak, more of them than an engine's own limiter leaves.
 */
const clipped = (pcm: Pcm): ReadonlyArray<Suspicion> => {
  const peak = peakOf(pcm.samples)
  if (peak < 0.25) return []
  const top = peak - 1.5 / 32_768
  const { samples } = pcm
  const isTop = (at: number) => Math.abs(samples[at]!) >= top
  let flat = 0
  // A run of four contains every fourth sample; its neighbours are checked only if that one is at the peak.
  for (let i = 3; i < samples.length; i += 4) {
    if (!isTop(i)) continue
    let from = i
    while (from > 0 && isTop(from - 1)) from--
    while (i + 1 < samples.length && isTop(i + 1)) i++
    if (i + 1 - from >= 4) flat += i + 1 - from
    i -= (i + 1) % 4
  }
  const share = flat / samples.length
  return share > 0.002
    ? [{ kind: "clipped", detail: `${(share * 100).toFixed(1)} % of the samples are clipped` }]
    : []
}

/** Speech rises and falls by more than this within half a second, in decibels. A tone or hum does not. */
const steadiest = 3

/**
 * Detects a cut-off end: the clip is as loud as clear speech up to its last samples, so what followed is missing. A
 * sound that never changes its level, such as a test tone, has no end to miss.
 */
const cutOff = (pcm: Pcm, { envelope, levels: { speech } }: SpeechBounds): ReadonlyArray<Suspicion> => {
  const { hop, levels } = envelope
  const inner = levels.subarray(2, -2)
  const loudest = inner.reduce((most, level) => Math.max(most, level), -Infinity)
  if (inner.every((level) => level > loudest - steadiest)) return []
  const whole = Math.floor(pcm.samples.length / hop)
  const tail = levels.subarray(Math.max(0, whole - 3), whole)
  const end = sliceOf(pcm, pcm.samples.length - Math.round(pcm.rate * 0.003), pcm.samples.length).samples
  const power = end.reduce((sum, sample) => sum + sample * sample, 0) / Math.max(1, end.length)
  return tail.length === 3 &&
    tail.every((level) => level > speech - 12) &&
    10 * Math.log10(power) > speech - 14
    ? [{ kind: "cut-off", detail: "the speech stops at full level" }]
    : []
}

/** Fewest and most milliseconds per character in any language and voice; digits and ideographs take long. */
const fastest = 20
const slowest = 400

const oddLength = (length: number, { characters, learned }: ClipFacts): ReadonlyArray<Suspicion> => {
  // Short texts vary more: a breath, a number or a drawn-out word has more weight in them.
  const reach = learned === undefined ? 0 : Math.max(5 * learned.deviation, 0.5 * learned.mean)
  const least = characters * (learned === undefined ? fastest : Math.max(fastest, learned.mean - reach)) - 300
  const most =
    characters * (learned === undefined ? slowest : Math.min(slowest, learned.mean + reach)) + 1_500
  const measured = `${Math.round(length)} ms for ${characters} characters`
  if (length < least) return [{ kind: "too-short", detail: measured }]
  if (length > most) return [{ kind: "too-long", detail: measured }]
  return []
}
