/** Removes clips that nothing needs any more, and finished tasks on the service. */
import { FileSystem, Path } from "@effect/platform"
import { Clock, Duration, Effect } from "effect"
import { Gateway } from "../../gateway/Gateway.ts"
import { Batches } from "../../store/tables/Batches.ts"
import { ClipFolder } from "../../store/files/ClipFolder.ts"
import { UtteranceStore } from "../../store/tables/UtteranceStore.ts"
import { removeLeftovers } from "../deliver/MixRecord.ts"
import { registerBatch } from "./BatchRegistration.ts"
import { manifestOf } from "../load/BatchId.ts"
import type { BatchPlan } from "../plan/BatchPlan.ts"

/** The numbers of removed utterances and bytes. */
export interface Cleaned {
  readonly utterances: number
  readonly bytes: number
}

/**
 * Removes clips of utterances that no batch in this state folder uses, and unusable originals that a good clip has
 * replaced. If such a clip is needed again, its task is asked first, so it costs nothing while the service still has
 * it.
 * Clips that changed within `olderThan` are kept, since a removed line may come back. With `olderThan`, batches whose
 * manifest was deleted no longer count; without it, the manifest may just have been moved.
 */
export const cleanClips = Effect.fn("Cleanup.cleanClips")(function* (
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
  // Unusable audio is evidence until a later take has produced a clip.
  const spoken = yield* store.clipSizes(plan.utterances.map(({ key }) => key))
  const superseded = yield* clips.dropOriginals([...spoken.keys()])
  return { utterances: held.size, bytes: removed + superseded + (yield* removeLeftovers) } satisfies Cleaned
})

/**
 * Forgets batches whose manifest was deleted. If its folder is missing or empty, as when a disk is not mounted, the
 * batch is kept.
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
    // Not looked up in the list: a disk may ignore case, or store another Unicode form of the name.
    if (beside.length > 0 && !(yield* Effect.orElseSucceed(fs.exists(manifest), () => true)))
      yield* batches.forget(batch)
  }
})

/** Deletes this batch's tasks on the service if their clips are stored here. Returns how many. */
export const cleanRemote = Effect.fn("Cleanup.cleanRemote")(function* (plan: BatchPlan) {
  const store = yield* UtteranceStore
  const gateway = yield* Gateway
  const rows = yield* store.rows(plan.utterances.map(({ key }) => key))
  const done = rows.flatMap(({ state, task }) =>
    task !== undefined && (state === "fetched" || state === "placed") ? [task] : []
  )
  yield* Effect.forEach(done, (task) => gateway.remove(task), { concurrency: 4, discard: true })
  return done.length
})
