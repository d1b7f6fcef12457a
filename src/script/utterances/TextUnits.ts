/** Text units: the intermediate form between lines and utterances. */
import type { NonEmptyReadonlyArray } from "effect/Array"
import type { Line } from "../../domain/speech/Line.ts"
import { charactersOf } from "../../domain/speech/Utterance.ts"
import type { Grain } from "./StableGroups.ts"
import { joinWords } from "./TextSplitting.ts"

/** The text of one line, or a piece of it. */
export interface TextUnit {
  readonly line: Line
  /** The line's position in the script. */
  readonly order: number
  readonly said: string
}

/** Units joined for one breath or one task; `text` is sent. */
export interface UnitJoin extends Grain {
  readonly portions: NonEmptyReadonlyArray<TextUnit>
  readonly text: string
}

/** Separator between two units of one task: a line break, at which voices pause. */
export const between = "\n"

/** Makes one unit of a line, a piece of a line, or all lines of a sentence, without pauses between them. */
export const sentenceUnit = (portions: NonEmptyReadonlyArray<TextUnit>): UnitJoin =>
  unitOf(portions, portions.map((portion) => portion.said).reduce(joinWords))

/** Joins several units into one task, separated by pauses. */
export const joinUnits = (units: NonEmptyReadonlyArray<UnitJoin>): UnitJoin => {
  const [first, ...others] = units.flatMap((unit) => unit.portions)
  return unitOf(
    first === undefined ? units[0].portions : [first, ...others],
    units.map((unit) => unit.text).join(between)
  )
}

/** Joins portions into one task, with a pause between each. */
export const separateUnits = (portions: NonEmptyReadonlyArray<TextUnit>): UnitJoin =>
  unitOf(portions, portions.map((portion) => portion.said).join(between))

const unitOf = (portions: NonEmptyReadonlyArray<TextUnit>, text: string): UnitJoin => ({
  portions,
  text,
  said: text,
  size: charactersOf(text)
})
