/** Splits, joins and moves cues: the overrides that do so. */
import { Effect } from "effect"
import { type CueOverride, overrideName } from "../../domain/manifest/CueOverride.ts"
import { toSeconds } from "../../domain/time/Units.ts"
import { charactersOf } from "../../domain/speech/Utterance.ts"
import type { Batch, Job } from "../load/Job.ts"
import { planBatch } from "../plan/BatchPlan.ts"
import { textsOf } from "../plan/JobScript.ts"
import type { ReviewChanges } from "./ReviewEdits.ts"
import { reviewFailed } from "./ReviewFailed.ts"

/** A change of the shape of cues. */
export type Shape =
  | { readonly _tag: "Split"; readonly name: string; readonly first: string; readonly rest: string }
  | { readonly _tag: "Join" }
  | { readonly _tag: "Shift"; readonly by: number }

/** What to save, and which cues then sound different. */
export interface ShapeChange {
  readonly changes: ReviewChanges
  readonly cues: ReadonlyArray<number>
}

/** Returns the overrides for a change of a cue's shape. */
export const shapeChange = Effect.fn("ReviewShapes.shapeChange")(function* (
  batch: Batch,
  job: Job,
  cue: number,
  shape: Shape
) {
  const { jobs } = yield* planBatch({ ...batch, jobs: [job] })
  const [{ lines, script }] = jobs
  const textOf = textsOf(script)
  const overrides = job.overrides ?? {}
  const was = (at: number) => {
    const text = textOf(at)
    return text === undefined ? {} : { was: text }
  }
  const own = lines.filter((line) => line.cue === cue)
  const [line] = own
  if (line === undefined)
    return yield* reviewFailed(`cue ${cue} has no spoken line; choose a cue that is spoken`)
  if (shape._tag === "Shift") {
    if (line.slot === undefined)
      return yield* reviewFailed(
        "a narration's lines have no times, so they cannot be moved; change pauses in the manifest instead"
      )
    const by = Math.round(((overrides[`${cue}`]?.shift ?? 0) + shape.by) * 1000) / 1000
    const { shift: _before, ...rest } = overrides[`${cue}`] ?? {}
    const change: CueOverride = { ...was(cue), ...rest, ...(by === 0 ? {} : { shift: by }) }
    const isEmpty = Object.keys(change).every((key) => key === "was")
    return { changes: { [cue]: isEmpty ? undefined : change }, cues: [cue] } satisfies ShapeChange
  }
  if (shape._tag === "Split") {
    const whole = own.find((each) => overrideName(each) === shape.name)
    if (whole === undefined)
      return yield* reviewFailed(`cue ${shape.name} has no spoken line; choose a cue that is spoken`)
    // Pieces of pieces are kept with the cue's first line, so that no name ever changes.
    const base = overrides[`${cue}`] ?? {}
    const now = shape.name === `${cue}` ? base : (overrides[shape.name] ?? {})
    const { slot } = whole
    const share = charactersOf(shape.first) / (charactersOf(shape.first) + charactersOf(shape.rest))
    const middle =
      slot === undefined ? undefined : Math.round(slot.start + (slot.end - slot.start) * share) / 1000
    const first: CueOverride = {
      ...was(cue),
      ...now,
      say: shape.first,
      ...(middle === undefined ? {} : { end: middle })
    }
    const piece = {
      say: shape.rest,
      ...(middle === undefined || slot === undefined ? {} : { start: middle, end: toSeconds(slot.end) })
    }
    const split = [...(base.split ?? []), piece]
    const changes: ReviewChanges =
      shape.name === `${cue}`
        ? { [cue]: { ...first, split } }
        : { [cue]: { ...was(cue), ...base, split }, [shape.name]: first }
    return { changes, cues: [cue] } satisfies ShapeChange
  }
  const next = lines.find((each) => each.cue > cue)
  const after = next === undefined ? [] : lines.filter((each) => each.cue === next.cue)
  if (next === undefined || own.length > 1 || after.length > 1 || next.speaker !== line.speaker)
    return yield* reviewFailed(
      `cue ${cue} cannot be joined with the next one: each must be one line, of the same speaker`
    )
  const before = overrides[`${cue}`] ?? {}
  const following = overrides[`${next.cue}`]
  const change: CueOverride = {
    ...was(cue),
    ...before,
    say: `${line.said} ${next.said}`,
    ...(next.slot === undefined ? {} : { end: toSeconds(next.slot.end) }),
    takes: [...(before.takes ?? []), ...(following?.takes ?? []), { cue: next.cue, ...was(next.cue) }]
  }
  // A shift of the next cue still moves those that follow it.
  const kept: CueOverride | undefined =
    following?.shift === undefined ? undefined : { ...was(next.cue), shift: following.shift }
  return { changes: { [cue]: change, [next.cue]: kept }, cues: [cue, next.cue] } satisfies ShapeChange
})
