/** Housekeeping: clips that nothing needs any more, and finished tasks at the service. */
import { FileSystem, Path } from "@effect/platform"
import { Clock, Duration, Effect } from "effect"
import { Gateway } from "../../gateway/Gateway.ts"
import { Batches } from "../../store/tables/Batches.ts"
import { ClipFolder } from "../../store/files/ClipFolder.ts"
import { UtteranceStore } from "../../store/tables/UtteranceStore.ts"
import { registerBatch } from "./BatchRegistration.ts"
import { manifestOf } from "../load/BatchId.ts"
import type { BatchPlan } from "../plan/BatchPlan.ts"

/** What was removed. */
export interface Cleaned {
  readonly utterances: number
  readonly bytes: number
}

/**
 * Removes the clips of utterances that no batch of this state folder uses any more, and audio that was of no use and
 * has a successor by now. A clip that is wanted again later is asked for at its task first, so that it is not paid for
 * again as long as the service has it. Clips to which something has happened within `olderThan` are kept: a line that
 * was taken out may come back. Where such an age is given, a batch whose manifest is gone needs nothing any more;
 * without one it may only have been moved just now.
 */
export const cleanClips = Effect.fn("Clean.clips")(function* (
  plan: BatchPlan,
  olderThan?: Duration.Duration
) {
  const store = yield* UtteranceStore
  const clips = yield* ClipFolder
  yield* registerBatch(plan)
  if (olderThan !== undefined) yield* forgetDeletedBatches
  const now = yield* Clock.currentTimeMillis
  const unused = yield* store.unused(now - Duration.toMillis(olderThan ?? Duration.zero))
  const held = yield* store.clipSizes(unused)
  const removed = yield* clips.remove(unused)
  // Audio of which nothing could be made is evidence until a later take has given a clip.
  const spoken = yield* store.clipSizes(plan.utterances.map(({ key }) => key))
  const superseded = yield* clips.dropOriginals([...spoken.keys()])
  const cleaned: Cleaned = { utterances: held.size, bytes: removed + superseded }
  return cleaned
})

/**
 * Forgets the batches whose manifests are gone. One whose folder is gone, or empty as where nothing is mounted, may
 * come back.
 */
export const forgetDeletedBatches = Effect.gen(function* () {
  const batches = yield* Batches
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  for (const batch of yield* batches.known) {
    const manifest = manifestOf(batch)
    if (manifest === undefined) continue
    const beside = yield* fs
      .readDirectory(path.dirname(manifest))
      .pipe(Effect.orElseSucceed((): ReadonlyArray<string> => []))
    if (beside.length > 0 && !beside.includes(path.basename(manifest))) yield* batches.forget(batch)
  }
})

/** Deletes the tasks, at the service, whose clips this batch has at hand; returns how many. */
export const cleanRemote = Effect.fn("Clean.remote")(function* (plan: BatchPlan) {
  const store = yield* UtteranceStore
  const gateway = yield* Gateway
  const rows = yield* store.rows(plan.utterances.map(({ key }) => key))
  const done = rows.flatMap(({ state, task }) =>
    task !== undefined && (state === "fetched" || state === "placed") ? [task] : []
  )
  yield* Effect.forEach(done, (task) => gateway.remove(task), { concurrency: 4, discard: true })
  return done.length
})
