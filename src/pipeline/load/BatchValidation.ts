/** Checks across a batch's jobs: duplicate ids, unknown providers, shared videos, contradictory fit limits. */
import { Array } from "effect"
import { neuralProvider } from "../../domain/values/Ids.ts"
import { knownProviders } from "../../domain/speech/ProviderProfile.ts"
import type { Defaults, Manifest } from "../../domain/manifest/Manifest.ts"
import { nearestName } from "../../domain/values/DidYouMean.ts"
import { outputs as kinds, soundNames, videoNames } from "../../domain/manifest/Outputs.ts"
import type { SpeakerSettings } from "../../domain/manifest/ScriptSettings.ts"
import type { Job } from "./Job.ts"
import { folderNameOf } from "./JobName.ts"

/** Returns every fault of a manifest's jobs. */
export const validateBatch = (
  jobs: ReadonlyArray<Job>,
  manifest: Manifest,
  providers: ReadonlyArray<string> = []
): ReadonlyArray<string> => [
  ...faultsOfIds(jobs),
  ...faultsOfProviders(jobs, [...providers, ...Object.keys(manifest.providers ?? {})]),
  ...faultsOfFit(manifest),
  ...faultsOfHelpers(manifest),
  ...faultsOfJobs(jobs, faultOfPicture),
  ...faultsOfJobs(jobs, faultOfBackground),
  ...faultsOfShared(jobs)
]

const faultsOfJobs = (jobs: ReadonlyArray<Job>, faultOf: (job: Job) => string | undefined) =>
  jobs.flatMap((job) => {
    const fault = faultOf(job)
    return fault === undefined ? [] : [`job ${job.id}: ${fault}`]
  })

/** A picture that gives way makes a film of its own length, so each job needs a video of its own. */
const faultOfPicture = ({ picture, video, outputs, into }: Job): string | undefined => {
  if (picture === undefined) return undefined
  if (video === undefined) return "fit.picture: needs a video; name one under video, or remove fit.picture"
  if (into !== undefined)
    return `fit.picture: would change the length of ${into}, which other jobs share; remove into, or set fit.picture to keep`
  return videoNames.some((name) => outputs.includes(name))
    ? undefined
    : "fit.picture: the lengthened picture is in no output; add mp4, mkv, mov or webm to outputs, or set fit.picture to keep"
}

/** A background replaces the film's sound under the voice, and 5.1 comes from a background. */
const faultOfBackground = ({ background, separate, original, audio, video }: Job): string | undefined => {
  if (separate !== undefined) {
    if (background !== undefined)
      return "background and separate both lay sound under the voices; remove one of them"
    if (original === "duck")
      return "separate and original: duck both lay the film's sound under the voice; remove one of them"
    if (video === undefined) return "separate: needs a video; name one under video"
    return separate.command.some((arg) => arg.includes("{bed}"))
      ? undefined
      : "separate: command has no {bed}; add it where the program expects the path of its result"
  }
  if (background === undefined)
    return audio.channels === "5.1"
      ? "audio.channels: 5.1 needs a background in 5.1; name one under background"
      : undefined
  return original === "duck"
    ? "background and original: duck both lay sound under the voice; remove one of them"
    : undefined
}

/** `listen` and `rewrite` name a program or a server. The program of `listen` needs the clip. */
const faultsOfHelpers = ({ defaults, jobs }: Manifest): ReadonlyArray<string> =>
  [
    { at: "defaults", listen: defaults?.listen, rewrite: defaults?.rewrite },
    ...jobs.map(({ listen, rewrite }, at) => ({ at: `jobs[${at}]`, listen, rewrite }))
  ].flatMap(({ at, listen, rewrite }) => {
    const [listening, rewriting] = [faultOfListening(listen), faultOfRewriting(rewrite)]
    return [
      ...(listening === undefined ? [] : [`${at}.listen: ${listening}`]),
      ...(rewriting === undefined ? [] : [`${at}.rewrite: ${rewriting}`])
    ]
  })

const twoHelpers = "names both a program and a server; keep either command, or baseUrl and model"

const faultOfListening = (listen: Defaults["listen"]): string | undefined => {
  if (listen === undefined || listen === "off" || listen.command === undefined) return undefined
  if (listen.baseUrl !== undefined || listen.model !== undefined) return twoHelpers
  return listen.command.some((arg) => /\{(?:audio|file)\}/u.test(arg))
    ? undefined
    : "command has no {audio}; add it where the program expects the clip's path"
}

const faultOfRewriting = (rewrite: Defaults["rewrite"]): string | undefined => {
  if (rewrite === undefined || rewrite === "off") return undefined
  if (rewrite.command === undefined)
    return rewrite.model === undefined ? "names no model; add model, or command for a program" : undefined
  return rewrite.baseUrl !== undefined || rewrite.model !== undefined ? twoHelpers : undefined
}

/**
 * `fit.maxSpeed` must not exceed `fit.hardMaxSpeed`. The schema cannot check this: one may come from the defaults, the
 * other from the job.
 */
const faultsOfFit = ({ defaults, jobs }: Manifest): ReadonlyArray<string> =>
  Array.dedupe(
    jobs.flatMap(({ fit }, at) => {
      const { maxSpeed = 1, hardMaxSpeed = maxSpeed } = { ...defaults?.fit, ...fit }
      const own = fit?.maxSpeed !== undefined || fit?.hardMaxSpeed !== undefined
      return maxSpeed <= hardMaxSpeed
        ? []
        : `${own ? `jobs[${at}]` : "defaults"}.fit: maxSpeed ${maxSpeed} is above the hard limit, hardMaxSpeed ${hardMaxSpeed}; lower maxSpeed or raise hardMaxSpeed`
    })
  )

/** Jobs that share a video through `into` must name the same source video, and each needs an audio output. */
const faultsOfShared = (jobs: ReadonlyArray<Job>): ReadonlyArray<string> => {
  const members = jobs.flatMap((job) => (job.into === undefined ? [] : [{ ...job, into: job.into }]))
  return Object.values(Array.groupBy(members, ({ into }) => into.toLowerCase())).flatMap(
    ([first, ...others]) => {
      const fault = (job: Job, message: string) => `job ${job.id}: into: ${message}`
      return [
        ...(first.video === undefined ? [fault(first, "needs a video; name one under video")] : []),
        ...others
          .filter(({ video }) => video?.path !== first.video?.path)
          .map((job) =>
            fault(job, `${first.into} already uses the video of job ${first.id}; name the same video`)
          ),
        ...[first, ...others]
          .filter(({ outputs }) => !outputs.some((name) => kinds[name].kind === "sound"))
          .map((job) =>
            fault(
              job,
              `the job has no audio to add to ${first.into}; add wav (or ${soundNames.slice(1).join(", ")}) to outputs`
            )
          )
      ]
    }
  )
}

/** Each job needs an output folder of its own, and no folder may have the name of an output file of the batch. */
const faultsOfIds = (jobs: ReadonlyArray<Job>): ReadonlyArray<string> => {
  const files = new Set(
    ["run.json", "index.html", ...jobs.flatMap(({ into }) => into ?? [])].map(folderNameOf)
  )
  const same = Object.values(Array.groupBy(jobs, ({ id }) => folderNameOf(id))).filter(
    ({ length }) => length > 1
  )
  return [
    ...same.map(
      (several) =>
        `${several.length} jobs have the id "${several[0].id}" (${several
          .map(({ inputName }) => inputName)
          .join(", ")}); give each its own id`
    ),
    ...jobs
      .filter(({ id }) => files.has(folderNameOf(id)))
      .map(({ id }) => `job ${id}: this id collides with an output file of the batch; choose another`)
  ]
}

/**
 * A provider must be one of the known five, or declared under `providers` or by the caller. This finds a typo before it
 * costs credits.
 */
const faultsOfProviders = (
  jobs: ReadonlyArray<Job>,
  others: ReadonlyArray<string>
): ReadonlyArray<string> => {
  const declared: ReadonlyArray<string> = [...knownProviders, ...others]
  return jobs.flatMap((job) => {
    const voices = [job.speakers, job.cast?.speakers ?? {}, job.cast?.pool ?? []].flatMap(
      Object.values<SpeakerSettings>
    )
    const named = [job.voice.provider, ...voices.map(({ provider }) => provider)]
    return Array.dedupe(named.filter((provider) => provider !== undefined))
      .filter((provider) => !declared.includes(provider))
      .map((provider) => {
        const near = nearestName(provider, declared)
        return provider === neuralProvider
          ? `job ${job.id}: ${provider} has no voices on this machine; install one (dubwright voices list) and sherpa-onnx (dubwright help neural)`
          : `job ${job.id}: unknown provider "${provider}"${near === undefined ? "" : `; did you mean ${near}?`} ` +
              `(known: ${knownProviders.join(", ")}; declare others of your service under providers:)`
      })
  })
}
