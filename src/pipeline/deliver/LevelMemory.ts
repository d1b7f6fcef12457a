/** Remembers the level of a job's mix, because finding it takes longer than rendering a changed line. */
import { Effect, Option, Schema } from "effect"
import type { JobId } from "../../domain/values/Ids.ts"
import { digestOf } from "../../store/files/Checksum.ts"
import type { LoudnessGoal } from "../mix/LoudnessGoal.ts"
import { levelFor } from "../mix/LoudnessNormalization.ts"
import { sampleProgramme } from "../mix/LoudnessSample.ts"
import type { Programme } from "../mix/MixLines.ts"
import { digestProgramme } from "../mix/SectionDigest.ts"
import { mixFolders } from "./MixRecord.ts"

const Remembered = Schema.Struct({ digest: Schema.String, gain: Schema.Number })

/** Returns the level for a target, found anew only if the excerpt that decides it has changed. */
export const rememberedLevel = Effect.fn("LevelMemory.rememberedLevel")(function* (
  programme: Programme,
  target: LoudnessGoal,
  out: string,
  job: JobId
) {
  const folder = (yield* mixFolders(out, job))(0)
  const digest = digestIn(programme, target)
  const known = Option.filter(folder.read("level", Remembered), (level) => level.digest === digest)
  const level = yield* levelFor(programme, target, Option.getOrUndefined(known)?.gain)
  if (Option.isNone(known) && digest !== undefined) folder.write("level", { digest, gain: level.gain })
  return level
})

const Level = Schema.Struct({ gain: Schema.Number, peak: Schema.Number })

/** Stores the level with which a job's mix was delivered. */
export const keepLevel = (out: string, job: JobId, level: typeof Level.Type) =>
  Effect.map(mixFolders(out, job), (folderOf) => folderOf(0).write("delivered", level))

/** Returns the level with which a job's mix was last delivered: its gain factor, and its highest true peak in dBTP. */
export const deliveredLevel = (out: string, job: JobId) =>
  Effect.map(mixFolders(out, job), (folderOf) => folderOf(0).read("delivered", Level))

/**
 * Returns the digest of everything that decides the level. Undefined for short programmes, which are their own excerpt,
 * and if a clip is missing; the render reports that.
 */
const digestIn = (programme: Programme, target: LoudnessGoal): string | undefined => {
  const excerpt = sampleProgramme(programme)
  if (excerpt === programme || programme.background !== undefined || target.loudness === undefined)
    return undefined
  try {
    return digestOf([target, digestProgramme(excerpt)])
  } catch {
    return undefined
  }
}
