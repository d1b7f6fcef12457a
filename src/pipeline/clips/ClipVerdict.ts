/** Judges whether a clip can be the speech of its text, part by part. */
import { detectDefects, type ClipFacts, type Suspicion } from "../../audio/speech/ClipQuality.ts"
import { type Pcm, sliceOf } from "../../audio/pcm/Pcm.ts"
import type { SpeechBounds } from "../../audio/speech/SpeechTrim.ts"
import { isSaid, type Segment } from "../../domain/speech/Clip.ts"
import type { Estimate } from "../../domain/values/Estimate.ts"
import { charactersOf } from "../../domain/speech/Utterance.ts"

/** The facts by which a clip is judged. */
export interface ExpectedSpeech {
  readonly said: ReadonlyArray<string>
  /** One segment per part, or a single one for all. */
  readonly segments: ReadonlyArray<Segment>
  /** Whether the provider placed the parts on a timeline of their own, with silences in between. */
  readonly timed: boolean
  /** The voice's usual milliseconds of speech per character. */
  readonly usual: Estimate | undefined
  /** The bounds of the whole clip's speech, if already known. */
  readonly speech?: SpeechBounds | undefined
}

export type Verdict =
  | { readonly _tag: "Good" }
  /** Audible, but suspicious. */
  | { readonly _tag: "Suspect"; readonly words: string }
  /** It has no usable speech. */
  | { readonly _tag: "Unusable"; readonly words: string }

/** Minimum number of clips of a voice for its usual length to be trusted. */
const enough = 8

/** Judges a clip by its energy, clipping, tail and length. */
export const judgeParts = (pcm: Pcm, { said, segments, timed, usual, speech }: ExpectedSpeech): Verdict => {
  const known =
    usual === undefined || usual.count < enough
      ? {}
      : // For normally distributed values, the mean deviation is four fifths of the standard deviation.
        { learned: { mean: usual.mean, deviation: usual.spread * 1.25 } }
  const facts = (words: string): ClipFacts => ({
    characters: charactersOf(words),
    pauses: /[^\p{L}\p{N}\s'’][\s"'”’)]+\S/u.test(words),
    ...known
  })
  const apart = segments.length === said.length && said.length > 1
  const unsaid = said.flatMap((_, part) =>
    apart && !isHeard(segments, part) ? [`part ${part + 1} is not spoken`] : []
  )
  const suspicions = apart
    ? said.flatMap((words, part) =>
        (isHeard(segments, part) ? detectDefects(between(pcm, segments, part), facts(words)) : [])
          // Only the last part can be cut off; the others run into the next one.
          .filter((one) => one.kind !== "cut-off" || part === said.length - 1)
          .map((one) => ({ ...one, part: part + 1 }))
      )
    : detectDefects(pcm, facts(said.join(" ")), speech)
        .filter((one) => !(timed && said.length > 1 && (one.kind === "holed" || one.kind === "too-long")))
        .map((one) => ({ ...one, part: undefined }))
  if (suspicions.length === 0 && unsaid.length === 0) return { _tag: "Good" }
  const words = [...unsaid, ...suspicions.map(describe)].join("; ")
  return { _tag: suspicions.some((one) => one.kind === "silent") ? "Unusable" : "Suspect", words }
}

const isHeard = (segments: ReadonlyArray<Segment>, part: number): boolean => {
  const segment = segments[part]
  return segment === undefined || isSaid(segment)
}

/** A part with the silence around it, from halfway after the previous part to halfway before the next. */
const between = (pcm: Pcm, segments: ReadonlyArray<Segment>, part: number): Pcm => {
  const [before, here, after] = [segments[part - 1], segments[part], segments[part + 1]]
  if (here === undefined) return pcm
  const from = before === undefined ? 0 : Math.ceil((before.to + here.from) / 2)
  const to = after === undefined ? pcm.samples.length : Math.floor((here.to + after.from) / 2)
  return sliceOf(pcm, from, Math.max(from, to))
}

const describe = ({ kind, detail, part }: Suspicion & { readonly part: number | undefined }): string =>
  `${part === undefined ? "the audio" : `part ${part}`} is ${kind.replace("-", " ")}: ${detail}`
