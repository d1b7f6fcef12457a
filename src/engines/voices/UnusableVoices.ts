/** Checks the files of installed voices, as their engine does before it loads them. */
import { join } from "node:path"
import { Effect } from "effect"
import { espeakDataFolder } from "../neural/EspeakData.ts"
import { checkModel } from "../neural/ModelFolder.ts"
import { type InstalledVoice, neuralCache } from "./InstalledVoices.ts"

/** Returns the voices that cannot be loaded, with the fault. */
export const unusableVoices = Effect.fnUntraced(function* (installed: ReadonlyArray<InstalledVoice>) {
  const cache = yield* neuralCache
  const context = { cache, steady: true, espeakData: () => espeakDataFolder(cache) }
  const checked = yield* Effect.forEach(
    installed,
    ({ folder, record }) =>
      Effect.promise(() =>
        checkModel(join(folder, record.model), context).then(
          () => [],
          (cause: unknown) => [{ record, fault: cause instanceof Error ? cause.message : String(cause) }]
        )
      ),
    { concurrency: 4 }
  )
  return checked.flat()
})
