/** A WAV file that is completed from an earlier version: begun, completed and put in place. */
import { resolve } from "node:path"
import { Effect, Fiber } from "effect"
import { partOf } from "../../system/AtomicFile.ts"
import { attempt, attempted, removedAtEnd } from "../process/FileFaults.ts"
import type { WavFile } from "./EncodeJob.ts"
import { isMoved, placeKeeping, syncSpare } from "./SpareFile.ts"
import { copyPresent, type Splice, spliceWav, updateSpare } from "./WavSplice.ts"
import { beginWav, type WavOrder } from "./WavWriter.ts"

/**
 * Begins a file, which is removed with the scope if it is not in place by then. Returns the order for its sections, and
 * the step that completes it once they are rendered. That returns the step that puts it in place, if it has changed.
 */
export const openSplicedFile = Effect.fnUntraced(function* (file: WavFile, splice: Splice) {
  const { header } = file
  const order = { ...file.order, only: splice.sections.map(({ from }) => from) }
  const path = resolve(order.path)
  const made = partOf(path)
  const place = yield* placeKeeping(path, splice.spare)
  /** Runs while the sections are rendered. It cannot be interrupted: its file is removed once it has ended. */
  const meanwhile = (work: () => Promise<void>) =>
    Effect.map(Effect.forkScoped(Effect.uninterruptible(attempt(path, work))), Fiber.join)
  const { changes, outdated, spare, patch } = splice

  if (changes && outdated !== undefined && isMoved(spare, made)) {
    yield* attempted(path, () => beginWav(made, header, "r+"))
    const updated = yield* meanwhile(() => updateSpare(order, outdated, made))
    const synced = attempt(path, () => syncSpare(made))
    return {
      order: { ...order, part: made },
      complete: updated.pipe(Effect.zipRight(synced), Effect.as(place))
    }
  }

  yield* removedAtEnd(patch)
  yield* attempted(path, () => beginWav(patch, header))
  const patched: WavOrder = { ...order, part: patch }
  const copied = changes ? yield* meanwhile(() => copyPresent(path, made)) : Effect.void
  const complete = copied.pipe(
    Effect.zipRight(attempt(path, () => spliceWav(patched, splice, made, changes))),
    Effect.map((isChanged) => (isChanged ? place : Effect.void))
  )
  return { order: patched, complete }
})
