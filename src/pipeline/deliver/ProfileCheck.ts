/** Judges a job's files by its delivery profile, after they are written. */
import { Path } from "@effect/platform"
import { Effect } from "effect"
import { judgeFile } from "../report/FileJudgement.ts"
import type { JobPlan } from "../plan/BatchPlan.ts"

/**
 * Returns, for each of a job's files, the rules of the profile that it does not meet; undefined if all files meet it,
 * or the job has no profile. The job's report.json must be written before.
 */
export const unmetRules = Effect.fn("ProfileCheck.unmetRules")(function* (
  { job, video }: JobPlan,
  files: ReadonlyArray<string>
) {
  if (job.delivery === undefined) return undefined
  const { name, profile } = job.delivery
  const { basename, extname, dirname } = yield* Path.Path
  const own = files.filter(
    (file) => soundEndings.includes(extname(file)) && basename(dirname(file)) === job.id
  )
  const unmet = yield* Effect.forEach(own, (file) =>
    Effect.map(judgeFile(file, profile, video?.picture?.duration), (rules) => {
      const failed = rules.filter(({ verdict }) => verdict === "fail")
      const words = failed.map(({ rule, required, found }) => `${rule} ${found} (${required})`)
      return words.length === 0 ? [] : [`${basename(file)} does not meet ${name}: ${words.join(", ")}`]
    })
  )
  return unmet.flat().length === 0 ? undefined : `delivery: ${unmet.flat().join("; ")}`
})

const soundEndings = [".wav", ".flac", ".mp3", ".m4a", ".opus", ".mp4", ".mov", ".mkv", ".webm"]
