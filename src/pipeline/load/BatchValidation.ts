/** What is wrong with a batch's jobs as a whole, each of which may be well by itself. */
import { Array } from "effect"
import { knownProviders } from "../../domain/values/Ids.ts"
import type { Manifest } from "../../domain/manifest/Manifest.ts"
import { nearestName } from "../../domain/values/DidYouMean.ts"
import { type OutputName, soundNames } from "../../domain/manifest/Outputs.ts"
import { InputFault } from "./InputRejected.ts"
import type { Job } from "./Job.ts"
import { folderNameOf } from "./JobName.ts"

/** Every fault of the jobs of a manifest, which is called `file` in messages. */
export const validateBatch = (
  jobs: ReadonlyArray<Job>,
  manifest: Manifest,
  file: string
): ReadonlyArray<InputFault> => [
  ...faultsOfIds(jobs, file),
  ...faultsOfProviders(jobs, manifest, file),
  ...faultsOfFit(manifest, file),
  ...faultsOfShared(jobs, file)
]

/**
 * A speed that is never passed must not lie below the one up to which lines are sped up; defaults and a job's own words
 * meet here.
 */
const faultsOfFit = ({ defaults, jobs }: Manifest, file: string): ReadonlyArray<InputFault> =>
  Array.dedupe(
    jobs.flatMap(({ fit }, at) => {
      const { maxSpeed = 1, hardMaxSpeed = maxSpeed } = { ...defaults?.fit, ...fit }
      const own = fit?.maxSpeed !== undefined || fit?.hardMaxSpeed !== undefined
      return maxSpeed <= hardMaxSpeed
        ? []
        : `${own ? `jobs[${at}]` : "defaults"}.fit: maxSpeed ${maxSpeed} lies above hardMaxSpeed ${hardMaxSpeed}, which is never passed: lower the one or raise the other`
    })
  ).map((message) => InputFault.make({ file, message }))

/** What goes into one video must have the same picture, and a sound to go into it. */
const faultsOfShared = (jobs: ReadonlyArray<Job>, file: string): ReadonlyArray<InputFault> => {
  const members = jobs.flatMap((job) => (job.into === undefined ? [] : [{ ...job, into: job.into }]))
  return Object.values(Array.groupBy(members, ({ into }) => into.toLowerCase())).flatMap(
    ([first, ...others]) => {
      const fault = (job: Job, message: string) =>
        InputFault.make({ file, message: `job ${job.id}: into: ${message}` })
      return [
        ...(first.video === undefined ? [fault(first, "needs a video: name one under video")] : []),
        ...others
          .filter(({ video }) => video?.path !== first.video?.path)
          .map((job) => fault(job, `${first.into} has the picture of job ${first.id}: name the same video`)),
        ...[first, ...others]
          .filter(({ outputs }) => !outputs.some((name) => isSound(name)))
          .map((job) =>
            fault(
              job,
              `needs a sound to go into ${first.into}: add wav (or ${soundNames.slice(1).join(", ")}) to outputs`
            )
          )
      ]
    }
  )
}

const isSound = (name: OutputName): boolean => soundNames.some((sound) => sound === name)

/** Two jobs of one folder would overwrite each other, and a folder cannot lie where a file of the batch is to lie. */
const faultsOfIds = (jobs: ReadonlyArray<Job>, file: string): ReadonlyArray<InputFault> => {
  const files = new Set(
    ["run.json", "index.html", ...jobs.flatMap(({ into }) => into ?? [])].map(folderNameOf)
  )
  return [
    ...sameFolder(jobs, file),
    ...jobs
      .filter(({ id }) => files.has(folderNameOf(id)))
      .map(({ id }) =>
        InputFault.make({
          file,
          message: `job ${id}: a file of the batch is called so too: give the job another id`
        })
      )
  ]
}

const sameFolder = (jobs: ReadonlyArray<Job>, file: string): ReadonlyArray<InputFault> =>
  Object.values(Array.groupBy(jobs, (job) => folderNameOf(job.id)))
    .filter((same) => same.length > 1)
    .map((same) =>
      InputFault.make({
        file,
        message: `${same.length} jobs would be called "${same[0].id}" (${same
          .map((job) => job.inputName)
          .join(", ")}): give each an id of its own`
      })
    )

/**
 * A provider must be one of the five or declared under `providers`, so that a typing error is found before it costs.
 */
const faultsOfProviders = (
  jobs: ReadonlyArray<Job>,
  manifest: Manifest,
  file: string
): ReadonlyArray<InputFault> => {
  const declared: ReadonlyArray<string> = [...knownProviders, ...Object.keys(manifest.providers ?? {})]
  return jobs.flatMap((job) => {
    const named = [job.voice.provider, ...Object.values(job.speakers).map(({ provider }) => provider)]
    return Array.dedupe(named.filter((provider) => provider !== undefined))
      .filter((provider) => !declared.includes(provider))
      .map((provider) => {
        const near = nearestName(provider, declared)
        return InputFault.make({
          file,
          message:
            `job ${job.id}: unknown provider "${provider}"${near === undefined ? "" : `; did you mean ${near}?`} ` +
            `(known: ${knownProviders.join(", ")}; a further provider of your service is declared under providers:)`
        })
      })
  })
}
