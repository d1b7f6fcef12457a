/** Stores the changes to undo and redo and the takes that were heard, for all reviews of a manifest. */
import { createHash } from "node:crypto"
import { join, resolve } from "node:path"
import { FileSystem } from "@effect/platform"
import { Effect, Either, Schema } from "effect"
import type { ReviewEdits } from "../../pages/data/ReviewProtocol.ts"
import { replaceFile } from "../../system/AtomicFile.ts"
import type { Batch } from "../load/Job.ts"
import { EditsSchema } from "./ReviewEdits.ts"
import { SavedChange } from "./ReviewHistory.ts"

/** How many changes of a job can be undone, and how many takes of a cue are listed. */
const limits = { changes: 1_000, takes: 20 }

/** One job's memory. */
const JobMemory = Schema.Struct({
  /** Changes, oldest first. */
  done: Schema.Array(SavedChange),
  undone: Schema.Array(SavedChange),
  /** Takes by cue, in the order in which they were first heard. */
  takes: Schema.Record({ key: Schema.String, value: Schema.Array(EditsSchema) })
})
type JobMemory = typeof JobMemory.Type

/** The file, by job id. */
const MemoryFile = Schema.parseJson(Schema.Record({ key: Schema.String, value: JobMemory }))

const nothing: JobMemory = { done: [], undone: [], takes: {} }

/** Opens the memory of a batch's manifest. Empty if there is none yet, or an unreadable one. */
export const makeReviewMemory = Effect.fn("ReviewMemory.makeReviewMemory")(function* ({
  state,
  manifest
}: Pick<Batch, "state" | "manifest">) {
  const fs = yield* FileSystem.FileSystem
  const name = createHash("sha256").update(resolve(manifest)).digest("hex").slice(0, 16)
  const file = join(state, "review", `${name}.json`)
  const text = yield* Effect.orElseSucceed(fs.readFileString(file), () => "{}")
  const read = Schema.decodeEither(MemoryFile)(text)
  if (Either.isLeft(read)) yield* Effect.logWarning(`${file}: not readable; earlier changes cannot be undone`)
  const jobs = new Map(Object.entries(Either.getOrElse(read, () => ({}))))
  const of = (job: string): JobMemory => jobs.get(job) ?? nothing

  /** If the memory cannot be written, changes cannot be undone after a restart. */
  const keep = (job: string, memory: JobMemory): Effect.Effect<void> => {
    jobs.set(job, memory)
    return Effect.suspend(() =>
      replaceFile(
        file,
        (part) => fs.writeFileString(part, JSON.stringify(Object.fromEntries(jobs))),
        (path, cause) => `${path}: cannot be written (${String(cause)})`
      )
    ).pipe(
      Effect.catchAll((error) =>
        Effect.logWarning(`changes cannot be undone after a restart: ${String(error)}`)
      )
    )
  }

  return {
    /** A job's last change that can be undone, or redone. */
    last: (job: string, direction: "undo" | "redo"): SavedChange | undefined =>
      (direction === "undo" ? of(job).done : of(job).undone).at(-1),
    /** Adds a change; those that were undone can no longer be redone. */
    add: (job: string, change: SavedChange) =>
      keep(job, { ...of(job), done: [...of(job).done, change].slice(-limits.changes), undone: [] }),
    /** Moves the last done change to the undone ones, or back. */
    step: (job: string, direction: "undo" | "redo") => {
      const { done, undone, takes } = of(job)
      const [last] = (direction === "undo" ? done : undone).slice(-1)
      if (last === undefined) return Effect.void
      return keep(
        job,
        direction === "undo"
          ? { takes, done: done.slice(0, -1), undone: [...undone, last] }
          : { takes, done: [...done, last], undone: undone.slice(0, -1) }
      )
    },
    /** The takes of a cue that were heard. */
    takesOf: (job: string, cue: number): ReadonlyArray<ReviewEdits> => of(job).takes[`${cue}`] ?? [],
    /** Adds a take, unless it is there. */
    hear: (job: string, cue: number, edits: ReviewEdits) => {
      const { takes } = of(job)
      const before = takes[`${cue}`] ?? []
      const words = JSON.stringify(edits)
      return before.some((take) => JSON.stringify(take) === words)
        ? Effect.void
        : keep(job, { ...of(job), takes: { ...takes, [cue]: [...before, edits].slice(-limits.takes) } })
    }
  }
})
