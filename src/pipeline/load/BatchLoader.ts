/** The first step of a run: manifests or bare files in, a settled batch out, or every fault that stands in the way. */
import { FileSystem, Path } from "@effect/platform"
import { Array, Effect, Either, Schema } from "effect"
import picomatch from "picomatch"
import { glob, isDynamicPattern } from "tinyglobby"
import { JobId, type ProviderId } from "../../domain/values/Ids.ts"
import type { JobEntry, Manifest } from "../../domain/manifest/Manifest.ts"
import { profileOf, ProviderProfile } from "../../domain/speech/ProviderProfile.ts"
import { scriptEndings } from "../../script/ScriptFile.ts"
import { isSpeechJson } from "../../script/formats/SpeechJson.ts"
import { endingOf, unreadByName } from "../../script/formats/UnreadFormats.ts"
import { validateBatch } from "./BatchValidation.ts"
import { batchKey, isManifest, manifestEndings } from "./BatchId.ts"
import { inputText } from "./InputFile.ts"
import { InputFault, InputRejected, rejectInput } from "./InputRejected.ts"
import type { Batch } from "./Job.ts"
import { jobNameFrom } from "./JobName.ts"
import { readManifest } from "./ManifestFile.ts"
import { type OverridesFileContent, overridesPath, readOverrides } from "./OverridesFile.ts"
import type { LearnedLimit, RunFlags } from "./RunFlags.ts"
import { resolveJob } from "./JobResolution.ts"

/** Loads the manifest, or the bare files, that the command line names. */
export const loadBatch = Effect.fn("Load.batch")(function* (
  inputs: Array.NonEmptyReadonlyArray<string>,
  flags: RunFlags
) {
  const path = yield* Path.Path
  const [first] = inputs
  if (yield* namesManifest(first)) {
    if (inputs.length > 1) {
      return yield* rejectInput(
        inputs[1] ?? first,
        "expected one manifest, or several subtitle or text files, not both"
      )
    }
    const manifest = yield* Effect.flatMap(inputText(first, first), (text) => readManifest(text, first))
    const overrides = yield* readOverrides(first)
    return yield* settle(manifest, first, path.dirname(path.resolve(first)), flags, overrides)
  }
  const strange = yield* Effect.filter(inputs, unfitScript)
  if (Array.isNonEmptyArray(strange)) {
    return yield* InputRejected.make({
      faults: Array.map(strange, (file) =>
        InputFault.make({
          file,
          message:
            unreadByName(file) ??
            `expected a manifest (${manifestEndings.join(", ")}) or a script (${scriptEndings.map((ending) => `.${ending}`).join(", ")})`
        })
      )
    })
  }
  const jobs = Array.map(inputs, (input): JobEntry => ({ input }))
  return yield* settle({ jobs }, inputs.join(" "), path.resolve(), flags)
})

/** Whether a file is a manifest: by its name, but a `.json` that holds a transcript is a subtitle. */
export const namesManifest = Effect.fnUntraced(function* (file: string) {
  if (!isManifest(file)) return false
  return !(endingOf(file) === "json" && (yield* holdsTranscript(file)))
})

/** Faults of a file that cannot be read are told where it is read. */
const holdsTranscript = (file: string) =>
  inputText(file, file).pipe(
    Effect.map(isSpeechJson),
    Effect.orElseSucceed(() => false)
  )

const unfitScript = (file: string) =>
  isDynamicPattern(file)
    ? Effect.succeed(false)
    : scriptEndings.includes(endingOf(file))
      ? namesManifest(file)
      : Effect.succeed(true)

/** Settles a manifest: paths are relative to `base`, and results and state go there unless a flag says otherwise. */
const settle = Effect.fnUntraced(function* (
  manifest: Manifest,
  name: string,
  base: string,
  flags: RunFlags,
  overrides: OverridesFileContent = { jobs: {} }
) {
  const path = yield* Path.Path
  const service = serviceOf(manifest, flags)
  const expanded = yield* Effect.forEach(manifest.jobs, (entry, at) => expand(entry, at, name, base), {
    concurrency: 8
  })
  const jobs = Array.flatten(expanded).map(({ entry, id, input }) => {
    const inputName = path.relative(base, input).startsWith("..") ? input : path.relative(base, input)
    const job = resolveJob(id, input, inputName, manifest.defaults ?? {}, entry, service, flags, (file) => ({
      path: path.resolve(base, file),
      name: file
    }))
    const changes = Object.hasOwn(overrides.jobs, id) ? overrides.jobs[id] : undefined
    return changes === undefined ? job : { ...job, overrides: changes }
  })
  const only = flags.only
  const chosen = only === undefined ? jobs : jobs.filter((job) => picomatch.isMatch(job.id, only))
  const faults = validateBatch(jobs, manifest, name)
  if (Array.isNonEmptyReadonlyArray(faults)) return yield* InputRejected.make({ faults })
  if (!Array.isNonEmptyArray(chosen)) {
    return yield* rejectInput(
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
    ...(manifest.name === undefined ? {} : { name: manifest.name }),
    manifest: name,
    key: batchKey(path.resolve(name), only),
    out: path.resolve(flags.out ?? path.join(base, "out")),
    state,
    service,
    undecided: (typeof manifest.service === "object" ? manifest.service.undecided : undefined) ?? "match",
    profileOf: profiles(manifest, flags, limit),
    jobs: chosen,
    ...(chosen.length === jobs.length ? {} : { every: jobs }),
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
    return yield* rejectInput(manifest, `jobs[${at}].input: no such file: ${entry.input}`)
  }
  const files = yield* Effect.promise(() => glob(entry.input, { cwd: base, absolute: true, onlyFiles: true }))
  if (files.length === 0)
    return yield* rejectInput(manifest, `jobs[${at}].input: no file matches ${entry.input}`)
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

const stemOf = (path: Path.Path, file: string): string => jobNameFrom(path.parse(file).name)

const idOf = (name: string, manifest: string, at: number): Either.Either<JobId, InputRejected> =>
  Schema.decodeUnknownEither(JobId)(name).pipe(
    Either.mapLeft(() =>
      rejectInput(
        manifest,
        `jobs[${at}]: "${name}" cannot name a job and its files: give the job an id of plain letters`
      )
    )
  )
