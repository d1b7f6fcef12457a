/** Words on their way from lines to utterances. */
import type { NonEmptyReadonlyArray } from "effect/Array"
import type { Line } from "../../domain/speech/Line.ts"
import { charactersOf } from "../../domain/speech/Utterance.ts"
import type { Grain } from "./StableGroups.ts"
import { joinWords } from "./TextSplitting.ts"

/** Words of one line, or a piece of them. */
export interface TextUnit {
  readonly line: Line
  /** The line's position in the script. */
  readonly order: number
  readonly said: string
}

/** What is spoken in one breath or in one task: its text is what is sent. */
export interface UnitJoin extends Grain {
  readonly portions: NonEmptyReadonlyArray<TextUnit>
  readonly text: string
}

/** What stands between two units of one task: a break that voices pause at. */
export const between = "\n"

/** A line, a piece of one, or the lines of a sentence: one breath. */
export const sentenceUnit = (portions: NonEmptyReadonlyArray<TextUnit>): UnitJoin =>
  unitOf(portions, portions.map((portion) => portion.said).reduce(joinWords))

/** Several units in one task. */
export const joinUnits = (units: NonEmptyReadonlyArray<UnitJoin>): UnitJoin => {
  const [first, ...others] = units.flatMap((unit) => unit.portions)
  return unitOf(
    first === undefined ? units[0].portions : [first, ...others],
    units.map((unit) => unit.text).join(between)
  )
}

/** Portions that are sent as so many breaths. */
export const separateUnits = (portions: NonEmptyReadonlyArray<TextUnit>): UnitJoin =>
  unitOf(portions, portions.map((portion) => portion.said).join(between))

const unitOf = (portions: NonEmptyReadonlyArray<TextUnit>, text: string): UnitJoin => ({
  portions,
  text,
  said: text,
  size: charactersOf(text)
})
