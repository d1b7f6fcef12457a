/** Benchmarks that deliver a film in a separate process: the entry of both processes, and the film's state. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { NodeContext } from "@effect/platform-node"
import { Effect, Layer, type Scope } from "effect"
import { tuneGc } from "../../src/app/layers/GcTuning.ts"
import { Ffmpeg } from "../../src/ffmpeg/Ffmpeg.ts"
import { silent } from "../../src/pipeline/Progress.ts"
import { ClipFolder } from "../../src/store/files/ClipFolder.ts"
import { writableState } from "../../src/store/state/StateDatabase.ts"

/** The state of the film in a folder, with its clips. */
export const stateOf = (folder: string) =>
  Layer.provideMerge(ClipFolder.Default, writableState(join(folder, "state")))

const needs = Layer.mergeAll(Ffmpeg.Default, silent).pipe(Layer.provideMerge(NodeContext.layer))

/**
 * Delivers the film in the folder `deliver`, if this is the delivering process. Otherwise measures, in a temporary
 * folder that is removed at the end.
 */
export const deliverOrMeasure = async <E, E2>(
  name: string,
  deliver: string | undefined,
  delivery: (
    folder: string
  ) => Effect.Effect<
    void,
    E,
    Layer.Layer.Success<typeof needs> | Layer.Layer.Success<ReturnType<typeof stateOf>> | Scope.Scope
  >,
  measure: (folder: string) => Effect.Effect<void, E2, NodeContext.NodeContext>
): Promise<void> => {
  if (deliver !== undefined) {
    // Like the command.
    tuneGc()
    const layer = Layer.merge(stateOf(deliver), needs)
    return Effect.runPromise(Effect.scoped(delivery(deliver)).pipe(Effect.provide(layer)))
  }
  const folder = mkdtempSync(join(tmpdir(), `dubwright-${name}-`))
  try {
    await Effect.runPromise(Effect.provide(measure(folder), NodeContext.layer))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
