/** The words that a speech recogniser heard in a clip, compared with the requested ones. */
import { Schema } from "effect"

/** How the words of a clip differ from the requested ones. */
export const HeardFaultKind = Schema.Literal(
  /** Words are missing. */
  "missing",
  /** Words were added. */
  "invented",
  /** Words were spoken twice. */
  "doubled",
  /** The end is missing. */
  "cut-off",
  /** Another text was spoken, often a neighbour's. */
  "wrong-line",
  /** Markup or a direction was read aloud. */
  "tag",
  /** Another language was spoken. */
  "language"
)
export type HeardFaultKind = typeof HeardFaultKind.Type

/** One difference, confirmed by a second transcript. */
export const HeardFault = Schema.Struct({
  kind: HeardFaultKind,
  /** The words left out, or those heard instead. */
  words: Schema.String,
  /** The language heard, for `language`. */
  language: Schema.optionalWith(Schema.String, { exact: true })
})
export type HeardFault = typeof HeardFault.Type

/** The words that were heard of one part of an utterance. */
export const PartHearing = Schema.Struct({
  /** The words as the recogniser wrote them. */
  heard: Schema.String,
  faults: Schema.Array(HeardFault)
})
export type PartHearing = typeof PartHearing.Type

/** The result for a clip: its parts in order, or why the recogniser failed. */
export const ClipHearing = Schema.Union(
  Schema.Struct({ parts: Schema.Array(PartHearing) }),
  Schema.Struct({ unheard: Schema.String })
)
export type ClipHearing = typeof ClipHearing.Type
