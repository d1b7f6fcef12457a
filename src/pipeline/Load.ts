/** The first step of a run: manifests or bare files in, a settled batch out, or every fault that stands in the way. */
import { FileSystem, Path } from "@effect/platform"
import type { PlatformError } from "@effect/platform/Error"
import { Array, Effect, Either, Schema } from "effect"
import picomatch from "picomatch"
import { glob, isDynamicPattern } from "tinyglobby"
import type { OverridesFile } from "../domain/CueOverride.ts"
import {
  JobId,
  knownProviders,
  LanguageTag,
  type ModelId,
  type ProviderId,
  type VoiceId
} from "../domain/Ids.ts"
import {
  type Defaults,
  type DuckSettings,
  type JobEntry,
  type Manifest,
  type OutputName,
  soundNames
} from "../domain/Manifest.ts"
import { FitLimits } from "../domain/Placement.ts"
import { profileOf, ProviderProfile } from "../domain/ProviderProfile.ts"
import { fromSeconds } from "../domain/Units.ts"
import { type Duck, usualDuck } from "../ffmpeg/Duck.ts"
import { InputFault, InputRejected, rejected } from "./InputRejected.ts"
import type { Batch, Job } from "./Job.ts"
import { nearest, readManifest } from "./ManifestFile.ts"
import { overridesPath, readOverrides } from "./OverridesFile.ts"

/** What the command line adds to, or says instead of, a manifest. */
export interface RunFlags {
  readonly baseUrl?: string | undefined
  /** The base address that the environment names, used where neither flag nor manifest says anything. */
  readonly environmentBaseUrl?: string | undefined
  readonly embedded?: boolean | undefined
  readonly out?: string | undefined
  readonly state?: string | undefined
  readonly concurrency?: number | undefined
  /** Only jobs whose id matches this glob. */
  readonly only?: string | undefined
  readonly voice?: VoiceId | undefined
  readonly provider?: ProviderId | undefined
  readonly model?: ModelId | undefined
  readonly language?: LanguageTag | undefined
  /** The voice that the bundled service offers a language by itself, for jobs that name none. */
  readonly embeddedVoice?: (language: LanguageTag | undefined) => { provider: ProviderId; voice: VoiceId }
  /** What a state folder has learned of the longest texts that providers take; a manifest that names a limit knows better. */
  readonly learnedLimits?: (state: string) => Effect.Effect<LearnedLimit>
}

/** The most characters that a provider takes; undefined where it never refused a text as too long. */
export type LearnedLimit = (provider: ProviderId) => number | undefined

const scriptEndings = [".srt", ".vtt", ".ass", ".ssa", ".txt", ".md"]
const usualOutputs: ReadonlyArray<OutputName> = ["wav", "srt"]
const manifestEndings = [".yaml", ".yml", ".json"]

/** Loads the manifest, or the bare files, that the command line names. */
export const loadBatch = Effect.fn("Load.batch")(function* (
  inputs: Array.NonEmptyReadonlyArray<string>,
  flags: RunFlags
) {
  const path = yield* Path.Path
  const endings = inputs.map((input) => path.extname(input).toLowerCase())
  const [first] = inputs
  if (manifestEndings.includes(endings[0] ?? "")) {
    if (inputs.length > 1) {
      return yield* rejected(
        inputs[1] ?? first,
        "expected one manifest, or several subtitle or text files, not both"
      )
    }
    const manifest = yield* Effect.flatMap(readText(first), (text) => readManifest(text, first))
    const overrides = yield* readOverrides(first)
    return yield* settle(manifest, first, path.dirname(path.resolve(first)), flags, overrides)
  }
  const strange = inputs.filter(
    (input, at) => !scriptEndings.includes(endings[at] ?? "") && !isDynamicPattern(input)
  )
  if (Array.isNonEmptyArray(strange)) {
    return yield* InputRejected.make({
      faults: Array.map(strange, (file) =>
        InputFault.make({
          file,
          message: `expected a manifest (${manifestEndings.join(", ")}) or a script (${scriptEndings.join(", ")})`
        })
      )
    })
  }
  const jobs = Array.map(inputs, (input): JobEntry => ({ input }))
  return yield* settle({ jobs }, inputs.join(" "), path.resolve(), flags)
})

const readText = Effect.fnUntraced(function* (file: string) {
  const fs = yield* FileSystem.FileSystem
  const bytes = yield* fs.readFile(file).pipe(Effect.mapError((error) => rejected(file, unreadable(error))))
  return yield* Effect.try({
    try: () => new TextDecoder("utf-8", { fatal: true }).decode(bytes),
    catch: () => rejected(file, "not UTF-8 text: save the manifest as UTF-8", 1)
  })
})

/** Why a file cannot be read, in words. */
export const unreadable = (error: PlatformError): string => {
  if (error._tag === "BadArgument") return error.message
  if (error.reason === "NotFound") return "no such file"
  if (error.reason === "PermissionDenied") return "no permission to read it"
  if (/EISDIR/u.test(error.message)) return "a folder, not a file"
  return `cannot be read (${error.message})`
}

/** Settles a manifest: paths are relative to `base`, and results and state go there unless a flag says otherwise. */
const settle = Effect.fnUntraced(function* (
  manifest: Manifest,
  name: string,
  base: string,
  flags: RunFlags,
  overrides: OverridesFile = { jobs: {} }
) {
  const path = yield* Path.Path
  const service = serviceOf(manifest, flags)
  const expanded = yield* Effect.forEach(manifest.jobs, (entry, at) => expand(entry, at, name, base), {
    concurrency: 8
  })
  const jobs = Array.flatten(expanded).map(({ entry, id, input }) => {
    const inputName = path.relative(base, input).startsWith("..") ? input : path.relative(base, input)
    const job = settleJob(id, input, inputName, manifest.defaults ?? {}, entry, service, flags, (file) => ({
      path: path.resolve(base, file),
      name: file
    }))
    const changes = Object.hasOwn(overrides.jobs, id) ? overrides.jobs[id] : undefined
    return changes === undefined ? job : { ...job, overrides: changes }
  })
  const only = flags.only
  const chosen = only === undefined ? jobs : jobs.filter((job) => picomatch.isMatch(job.id, only))
  const faults = [
    ...faultsOfIds(jobs, name),
    ...faultsOfProviders(jobs, manifest, name),
    ...faultsOfShared(jobs, name)
  ]
  if (Array.isNonEmptyArray(faults)) return yield* InputRejected.make({ faults })
  if (!Array.isNonEmptyArray(chosen)) {
    return yield* rejected(
      name,
      `no job's id matches --only ${only ?? ""}; there are ${jobs.map(({ id }) => id).join(", ")}`
    )
  }
  const strays = Object.keys(overrides.jobs)
    .filter((known) => !jobs.some(({ id }) => id === known))
    .map((job) => `${overridesPath(name)}: changes of a job named "${job}" are passed over: there is none`)
  const state = path.resolve(flags.state ?? path.join(base, ".dubwright"))
  const limit = flags.learnedLimits === undefined ? () => undefined : yield* flags.learnedLimits(state)
  const batch: Batch = {
    name: manifest.name ?? path.parse(path.basename(name)).name,
    manifest: name,
    key: [path.resolve(name), ...(only === undefined ? [] : [`--only ${only}`])].join(" "),
    out: path.resolve(flags.out ?? path.join(base, "out")),
    state,
    service,
    undecided: (typeof manifest.service === "object" ? manifest.service.undecided : undefined) ?? "match",
    profileOf: profiles(manifest, flags, limit),
    jobs: chosen,
    ...(manifest.notify === undefined ? {} : { notify: manifest.notify }),
    ...(strays.length === 0 ? {} : { notices: strays })
  }
  return batch
})

const serviceOf = (manifest: Manifest, flags: RunFlags): Batch["service"] => {
  if (flags.embedded === true) return "embedded"
  if (flags.baseUrl !== undefined) return { baseUrl: flags.baseUrl }
  if (manifest.service === "embedded") return manifest.service
  if (manifest.service !== undefined) return { baseUrl: manifest.service.baseUrl }
  return flags.environmentBaseUrl === undefined ? "embedded" : { baseUrl: flags.environmentBaseUrl }
}

/** Each provider's profile with the batch's own limits over it, made once. */
const profiles = (manifest: Manifest, flags: RunFlags, limit: LearnedLimit): Batch["profileOf"] => {
  const overall = flags.concurrency === undefined ? {} : { concurrency: flags.concurrency }
  const made = new Map<ProviderId, ProviderProfile>()
  return (provider) => {
    const known = made.get(provider)
    if (known !== undefined) return known
    const usual = profileOf(provider)
    const profile = ProviderProfile.make({
      ...usual,
      maxChars: Math.min(usual.maxChars, limit(provider) ?? Infinity),
      ...overall,
      ...manifest.providers?.[provider]
    })
    made.set(provider, profile)
    return profile
  }
}

interface Expanded {
  readonly entry: JobEntry
  readonly id: JobId
  readonly input: string
}

/** A job's entry as one job a file: a glob makes several. */
const expand = Effect.fnUntraced(function* (entry: JobEntry, at: number, manifest: string, base: string) {
  const path = yield* Path.Path
  const fs = yield* FileSystem.FileSystem
  const literal = path.resolve(base, entry.input)
  if (yield* fs.exists(literal).pipe(Effect.orElseSucceed(() => false))) {
    return [{ entry, id: yield* idOf(entry.id ?? stemOf(path, literal), manifest, at), input: literal }]
  }
  if (!isDynamicPattern(entry.input)) {
    return yield* rejected(manifest, `jobs[${at}].input: no such file: ${entry.input}`)
  }
  const files = yield* Effect.promise(() => glob(entry.input, { cwd: base, absolute: true, onlyFiles: true }))
  if (files.length === 0)
    return yield* rejected(manifest, `jobs[${at}].input: no file matches ${entry.input}`)
  return yield* Effect.forEach(
    [...files].sort(),
    Effect.fnUntraced(function* (input) {
      const stem = stemOf(path, input)
      const expanded: Expanded = {
        entry,
        id: yield* idOf(entry.id === undefined ? stem : `${entry.id}-${stem}`, manifest, at),
        input
      }
      return expanded
    })
  )
})

const stemOf = (path: Path.Path, file: string): string => path.parse(file).name

const idOf = (name: string, manifest: string, at: number): Either.Either<JobId, InputRejected> =>
  Schema.decodeUnknownEither(JobId)(name).pipe(
    Either.mapLeft(() =>
      rejected(
        manifest,
        `jobs[${at}]: "${name}" cannot name a job and its files: give the job an id of plain letters`
      )
    )
  )

const languageInName = (file: string): LanguageTag | undefined => {
  const tag = /\.([a-z]{2,3}(?:[-_][A-Za-z]{2,4})?)\.[^.]+$/u.exec(file)?.[1]?.replace("_", "-")
  return tag !== undefined && Schema.is(LanguageTag)(tag) ? tag : undefined
}

const settleJob = (
  id: JobId,
  input: string,
  inputName: string,
  defaults: Defaults,
  entry: JobEntry,
  service: Batch["service"],
  flags: RunFlags,
  resolve: (file: string) => { readonly path: string; readonly name: string }
): Job => {
  const said = { ...defaults, ...entry }
  const fit = { ...defaults.fit, ...entry.fit }
  const language = said.language ?? flags.language ?? languageInName(inputName)
  const own = {
    provider: said.provider ?? flags.provider,
    voice: said.voice ?? flags.voice,
    model: said.model ?? flags.model,
    speed: said.speed,
    vol: said.vol,
    pitch: said.pitch
  }
  const offered =
    own.voice === undefined && own.provider === undefined && service === "embedded"
      ? flags.embeddedVoice?.(language)
      : undefined
  return {
    id,
    input,
    inputName,
    ...(entry.video === undefined ? {} : { video: resolve(entry.video) }),
    ...(entry.sheet === undefined ? {} : { sheet: resolve(entry.sheet) }),
    ...(language === undefined ? {} : { language }),
    voice: { ...own, ...offered },
    speakers: { ...defaults.speakers, ...entry.speakers },
    nativeInput: said.nativeInput ?? "srt",
    unit: said.unit ?? "cue",
    onFailure: said.onFailure ?? "fail",
    fit: FitLimits.make({
      maxSpeed: fit.maxSpeed ?? Math.min(1.3, fit.hardMaxSpeed ?? 1.3),
      hardMaxSpeed: Math.max(fit.hardMaxSpeed ?? 1.6, fit.maxSpeed ?? 1),
      early: fromSeconds(fit.early ?? 0.3),
      late: fromSeconds(fit.late ?? 0.5)
    }),
    retake: fit.retake ?? false,
    text: { ...defaults.text, ...entry.text },
    lexicon: [...(entry.lexicon ?? []), ...(defaults.lexicon ?? [])],
    pauses: { ...defaults.pauses, ...entry.pauses },
    loudness: said.loudness ?? -16,
    timeline: { ...defaults.timeline, ...entry.timeline },
    original: said.original ?? "keep",
    duck: duckOf({ ...defaults.duck, ...entry.duck }),
    audio: { ...defaults.audio, ...entry.audio },
    tags: { ...defaults.tags, ...entry.tags },
    ...(said.chapters === undefined
      ? {}
      : { chapters: [...said.chapters].sort((a, b) => a.start - b.start) }),
    ...(said.into === undefined ? {} : { into: said.into }),
    verify: said.verify ?? false,
    ...(said.encoding === undefined ? {} : { encoding: said.encoding }),
    outputs: Array.dedupe(said.outputs ?? usualOutputs)
  }
}

const duckOf = ({ amount = usualDuck.amount, fade }: DuckSettings): Duck => ({
  amount,
  fade: fade === undefined ? usualDuck.fade : fromSeconds(fade)
})

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

/** Two jobs of one name would overwrite each other, also on disks that do not tell A from a. */
const faultsOfIds = (jobs: ReadonlyArray<Job>, file: string): ReadonlyArray<InputFault> =>
  Object.values(Array.groupBy(jobs, (job) => job.id.normalize("NFC").toLowerCase()))
    .filter((same) => same.length > 1)
    .map((same) =>
      InputFault.make({
        file,
        message: `${same.length} jobs would be called "${same[0].id}" (${same
          .map((job) => job.inputName)
          .join(", ")}): give each an id of its own`
      })
    )

/** A provider must be one of the five or declared under `providers`, so that a typing error is found before it costs. */
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
        const near = nearest(provider, declared)
        return InputFault.make({
          file,
          message:
            `job ${job.id}: unknown provider "${provider}"${near === undefined ? "" : `; did you mean ${near}?`} ` +
            `(known: ${knownProviders.join(", ")}; a further provider of your service is declared under providers:)`
        })
      })
  })
}
