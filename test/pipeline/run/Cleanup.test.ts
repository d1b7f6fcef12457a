import { mkdir, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { FileSystem } from "@effect/platform"
import { NodeContext } from "@effect/platform-node"
import { expect, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Casting } from "../../../src/domain/speech/Casting.ts"
import { JobId, ProviderId, VoiceId } from "../../../src/domain/values/Ids.ts"
import { makeUtterance } from "../../../src/domain/speech/Utterance.ts"
import { batchKey } from "../../../src/pipeline/load/BatchId.ts"
import { forgetDeletedBatches } from "../../../src/pipeline/run/Cleanup.ts"
import { Batches } from "../../../src/store/tables/Batches.ts"
import { writableState } from "../../../src/store/state/StateDatabase.ts"
import { UtteranceStore } from "../../../src/store/tables/UtteranceStore.ts"
import { plainFolder } from "../../ffmpeg/media.ts"

const casting = Casting.make({ provider: ProviderId.make("provider_fast"), voice: VoiceId.make("v1") })

it.scopedLive("forgets a batch only if its manifest was deleted", () =>
  Effect.gen(function* () {
    const folder = yield* plainFolder
    yield* Effect.promise(() => mkdir(join(folder, "unmounted")))
    yield* Effect.promise(() => writeFile(join(folder, "here.yaml"), ""))
    const needed = {
      "its manifest exists": batchKey(join(folder, "here.yaml"), undefined),
      "a selection from it": batchKey(join(folder, "here.yaml"), "film*"),
      "its disk is not mounted": batchKey(join(folder, "unmounted/far.yaml"), undefined),
      "its folder is missing": batchKey(join(folder, "gone/far.yaml"), undefined),
      "bare files": batchKey(join(folder, "a.srt b.srt"), undefined)
    }
    const unneeded = {
      "its manifest was deleted": batchKey(join(folder, "old.yaml"), undefined),
      "a selection from a deleted one": batchKey(join(folder, "old.yaml"), "film*")
    }
    yield* Effect.gen(function* () {
      const store = yield* UtteranceStore
      const all = Object.entries({ ...needed, ...unneeded }).map(([words, batch]) => ({
        batch,
        utterance: makeUtterance(casting, "text", words, [words])
      }))
      for (const { batch, utterance } of all)
        yield* store.plan(batch, [{ job: JobId.make("film"), utterances: [{ utterance, label: "film #1" }] }])
      expect(yield* store.unused()).toEqual([])
      const fs = yield* FileSystem.FileSystem
      // Lists names as a disk that ignores case may have stored them.
      const listed = (folder: string) =>
        Effect.map(fs.readDirectory(folder), (names) => names.map((name) => name.toUpperCase()))
      yield* Effect.provideService(forgetDeletedBatches, FileSystem.FileSystem, {
        ...fs,
        readDirectory: listed
      })
      const unused = new Set(yield* store.unused())
      expect(all.flatMap(({ utterance }) => (unused.has(utterance.key) ? [utterance.text] : []))).toEqual(
        Object.keys(unneeded)
      )
    }).pipe(
      Effect.provide(
        Layer.mergeAll(UtteranceStore.Default, Batches.Default).pipe(
          Layer.provide(writableState(join(folder, "state"))),
          Layer.merge(NodeContext.layer)
        )
      )
    )
  })
)
