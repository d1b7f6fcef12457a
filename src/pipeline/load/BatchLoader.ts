/** Loads a manifest or bare files into a `Batch`, with defaults and flags applied; reports all faults at once. */
import { Path } from "@effect/platform"
import { Array, Effect } from "effect"
import picomatch from "picomatch"
import { isDynamicPattern } from "tinyglobby"
import { dialectOf } from "../../domain/manifest/ServiceDialect.ts"
import { skipValidation } from "../../domain/values/SkipValidation.ts"
import { type JobEntry, Manifest } from "../../domain/manifest/Manifest.ts"
import { profileOf, ProviderProfile } from "../../domain/speech/ProviderProfile.ts"
import { scriptEndings } from "../../script/ScriptFile.ts"
import { isSpeechJson } from "../../script/formats/SpeechJson.ts"
import { endingOf } from "../../script/formats/UnreadFormats.ts"
import type { WrittenCast } from "./cast/CastFile.ts"
import { castIn, type ChosenVoices } from "./cast/JobCasting.ts"
import { validateBatch } from "./BatchValidation.ts"
import { batchKey, isManifest, overridesPath } from "./BatchId.ts"
import { inputText, type ReadInput, unknownInput } from "./InputFile.ts"
import { InputRejected, rejectInput, rejectInputs } from "./InputRejected.ts"
import { type Batch, filesOf } from "./Job.ts"
import { checkValue } from "./ManifestValue.ts"
import type { OverridesFileContent } from "./OverridesFile.ts"
import type { LearnedLimit, RunFlags } from "./RunFlags.ts"
import { type JobContext, resolveJob } from "./JobResolution.ts"
import { chosenDelivery } from "./DeliveryChoice.ts"
import { shellGlob } from "./patterns/PatternFiles.ts"
import { filmNamed } from "./TrackChoice.ts"
import {
  type ExpandedEntry,
  type EntryPlace,
  expandEntry,
  withKnownLanguage
} from "./patterns/EntryExpansion.ts"
import { containerFor } from "../../domain/manifest/Outputs.ts"

// Not loaded for bare files.
const manifestParser = Effect.promise(() => import("./ManifestFile.ts"))
const profileParser = Effect.promise(() => import("./ProfileFile.ts"))
const castParser = Effect.promise(() => import("./cast/CastFile.ts"))
const filmTracks = Effect.promise(() => import("./FilmTracks.ts"))
const overridesParser = Effect.promise(() => import("./OverridesFile.ts"))

/** Loads the manifest, or the bare files, that the command line names. */
export const loadBatch = Effect.fn("BatchLoader.loadBatch")(function* (
  named: Array.NonEmptyReadonlyArray<string>,
  flags: RunFlags
) {
  const path = yield* Path.Path
  const { cwd } = flags
  const inputs = Array.map(named, (input) =>
    shellGlob(cwd === undefined ? input : path.resolve(cwd, input), process.platform)
  )
  const [first] = inputs
  if (yield* namesManifest(first, flags.read)) {
    if (inputs.length > 1) {
      return yield* rejectInput(
        inputs[1] ?? first,
        "expected one manifest, or several subtitle or text files, not both"
      )
    }
    if (flags.video !== undefined) {
      return yield* rejectInput(flags.video, `--video needs a script; in ${first}, name the film under video`)
    }
    const { readManifest } = yield* manifestParser
    const { readOverrides } = yield* overridesParser
    const manifest = yield* Effect.flatMap(inputText(first, first, flags.read), (text) =>
      readManifest(text, first)
    )
    const overrides = yield* readOverrides(first)
    const file = path.resolve(first)
    return yield* resolveBatch(manifest, first, file, path.dirname(file), flags, overrides)
  }
  const strange = yield* Effect.filter(inputs, (input) => unfitScript(input, flags.read))
  if (Array.isNonEmptyArray(strange))
    return yield* InputRejected.make({ faults: yield* Effect.forEach(strange, unknownInput) })
  const { video } = flags
  if (video !== undefined && inputs.length > 1) {
    const problem = `--video names the film of one script, not of ${inputs.length}`
    return yield* rejectInput(video, `${problem}; name each film in a manifest (dubwright init writes one)`)
  }
  const jobs = Array.map(inputs, (input): JobEntry =>
    video === undefined ? { input } : withFilm({ input }, video, flags)
  )
  const name = inputs.join(" ")
  return yield* resolveBatch({ jobs }, name, path.resolve(name), path.resolve(cwd ?? ""), flags)
})

/**
 * Loads a manifest that is given as a value. Its paths are relative to `flags.cwd`. In messages, its `name`, or else
 * "manifest", replaces the file's name.
 */
export const loadManifestValue = Effect.fn("BatchLoader.loadManifestValue")(function* (
  value: unknown,
  flags: RunFlags
) {
  const path = yield* Path.Path
  const base = path.resolve(flags.cwd ?? "")
  const manifest = yield* checkValue(Manifest, value, "manifest")
  const { name = "manifest" } = manifest
  return yield* resolveBatch(manifest, name, path.join(base, name), base, flags, noOverrides)
})

/** Whether a file is a manifest, by its extension. A `.json` file with a transcript, or without jobs, is not. */
export const namesManifest = Effect.fnUntraced(function* (file: string, read?: ReadInput) {
  if (!isManifest(file)) return false
  return !(endingOf(file) === "json" && (yield* isNoManifest(file, read)))
})

/** Counts an unreadable file as no transcript: the loader reads it again as a manifest, and reports the fault. */
const isNoManifest = (file: string, read: ReadInput | undefined) =>
  inputText(file, file, read).pipe(
    Effect.map((text) => !/\b(?:jobs|input|defaults)\b["']?\s*:/u.test(text) || isSpeechJson(text)),
    Effect.orElseSucceed(() => false)
  )

const unfitScript = (file: string, read: ReadInput | undefined) => {
  const hasScriptEnding = scriptEndings.includes(endingOf(file))
  if ((hasScriptEnding && !isManifest(file)) || isDynamicPattern(file) || filmNamed(file) !== undefined)
    return Effect.succeed(false)
  return hasScriptEnding ? namesManifest(file, read) : Effect.succeed(true)
}

const noOverrides: OverridesFileContent = { jobs: {}, voices: {}, approved: {} }

/**
 * Resolves a manifest into a batch. `name` is for messages, `file` identifies the batch. Paths are relative to `base`;
 * results and state go there too, unless a flag names other folders. Bare files come as a manifest without
 * `overrides`.
 */
const resolveBatch = Effect.fnUntraced(function* (
  manifest: Manifest,
  name: string,
  file: string,
  base: string,
  flags: RunFlags,
  overrides?: OverridesFileContent
) {
  const path = yield* Path.Path
  const { jobs: changed, voices, approved } = overrides ?? noOverrides
  const service = serviceOf(manifest, flags)
  const state = path.resolve(flags.cwd ?? "", flags.state ?? path.join(base, ".dubwright"))
  const { isArriving } = flags
  const waits = isArriving !== undefined
  const isBare = overrides === undefined
  // Reports and pages may be shared, so they do not show where the manifest's folder is. Paths on the command line are
  // shown as typed.
  const nameOf = (input: string, given: string): string => {
    const near = path.relative(base, input)
    return isBare && path.isAbsolute(given) && near.startsWith("..") ? input : near
  }
  const films = yield* Effect.cached(Effect.flatMap(filmTracks, ({ trackReader }) => trackReader(state)))
  const entries = yield* Effect.forEach(manifest.jobs, (written, at) =>
    withKnownLanguage(written, { manifest: name, at })
  )
  const expanded = yield* Effect.forEach(
    entries,
    (entry, at) => {
      const reject = (problem: string) =>
        isBare
          ? rejectInput(entry.input, problem)
          : rejectInput(name, `jobs[${at}].input: ${entry.input}: ${problem}`)
      const place: EntryPlace = { base, manifest: name, at, waits, rejectInput: reject }
      const film = filmNamed(entry.input)
      if (film === undefined) return expandEntry(entry, manifest.defaults ?? {}, place)
      return Effect.gen(function* () {
        const { named, withTrack } = yield* filmTracks
        const found = yield* expandEntry({ ...entry, input: film.path }, manifest.defaults ?? {}, place)
        const reader = yield* films
        const jobs = yield* Effect.forEach(found.jobs, (expandedJob) => {
          const { entry: own, input } = expandedJob
          const job = isBare
            ? { ...expandedJob, entry: withOwnFilm(own, nameOf(input, own.input), flags) }
            : expandedJob
          return flags.withoutTracks === true || isArriving?.(job.input) === true
            ? Effect.succeed<ExpandedEntry>(named(job, film.track))
            : withTrack(job, film.track, reader, place)
        })
        return { ...found, jobs }
      })
    },
    { concurrency: 8 }
  )
  const cast =
    manifest.cast === undefined
      ? undefined
      : yield* Effect.flatMap(castParser, ({ readCast }) => readCast(manifest, { name, file, base }, flags))
  const before =
    flags.chosenVoices === undefined || (cast === undefined && service !== "embedded")
      ? nobody
      : yield* flags.chosenVoices(state)
  const context: JobContext = {
    service,
    flags,
    folder: base,
    state,
    fileOf: (written) => ({ path: path.resolve(base, written), name: written }),
    castIn: (language) => castIn(cast ?? noCast, language, before)
  }
  const profileNamed = yield* Effect.cachedFunction((written: string) =>
    Effect.flatMap(profileParser, ({ readProfile }) =>
      readProfile(written, base, (problem) => rejectInput(name, `delivery: ${problem}`), flags.read)
    )
  )
  const resolved = yield* Effect.forEach(
    expanded.flatMap((entry) => entry.jobs),
    Effect.fnUntraced(function* ({ entry, id, input, episode, track }: ExpandedEntry) {
      const inputName =
        track === undefined ? nameOf(input, entry.input) : nameOf(track.film, entry.input) + track.written
      const plain = resolveJob(id, input, inputName, manifest.defaults ?? {}, entry, { ...context, track })
      const job = {
        ...plain,
        ...(episode === undefined || episode === "" ? {} : { episode }),
        ...(Object.hasOwn(changed, id) ? { overrides: changed[id] } : {}),
        ...(Object.hasOwn(voices, id) ? { recast: voices[id] } : {}),
        ...(Object.hasOwn(approved, id) ? { approvals: approved[id] } : {})
      }
      const { delivery, loudness } = { ...manifest.defaults, ...entry }
      return delivery === undefined || delivery === "off"
        ? { job, faults: [] }
        : chosenDelivery(job, yield* profileNamed(delivery), loudness)
    })
  )
  const jobs = resolved.map(({ job }) => job)
  const only = flags.only
  const chosen = jobs.filter(
    (job) =>
      (only === undefined || picomatch.isMatch(job.id, only)) &&
      (isArriving === undefined || !filesOf(job).some(isArriving))
  )
  const contrary = resolved.flatMap(({ job, faults }) => faults.map((fault) => `job ${job.id}: ${fault}`))
  const faults = [...validateBatch(jobs, manifest, flags.providers), ...contrary]
  if (Array.isNonEmptyReadonlyArray(faults)) return yield* rejectInputs(name, faults)
  if (isArriving !== undefined && chosen.length === 0) {
    return yield* rejectInput(name, "waiting for files: no job has all of its files yet")
  }
  if (!Array.isNonEmptyArray(chosen)) {
    return yield* rejectInput(
      name,
      `no job id matches --only ${only ?? ""}; the ids are ${jobs.map(({ id }) => id).join(", ")}`
    )
  }
  const strays = [...new Set([changed, voices, approved].flatMap(Object.keys))]
    .filter((known) => !jobs.some(({ id }) => id === known))
    .map((job) => `${overridesPath(name)}: changes to job "${job}" are ignored: no job has this id`)
  const notices = [...expanded.flatMap((entry) => entry.notices), ...strays]
  const limit = flags.learnedLimits === undefined ? () => undefined : yield* flags.learnedLimits(state)
  return {
    ...(manifest.name === undefined ? {} : { name: manifest.name }),
    manifest: name,
    key: batchKey(file, only),
    out: path.resolve(flags.cwd ?? "", flags.out ?? path.join(base, "out")),
    state,
    service,
    undecided: (typeof manifest.service === "object" ? manifest.service.undecided : undefined) ?? "match",
    profileOf: profiles(manifest, flags, limit),
    jobs: chosen,
    ...(chosen.length === jobs.length ? {} : { every: jobs }),
    ...(manifest.notify === undefined ? {} : { notify: manifest.notify }),
    ...(notices.length === 0 ? {} : { notices })
  } satisfies Batch
})

const noCast: WrittenCast = { settings: {}, file: "", isInManifest: true }

/** The voices chosen from pools before the first run. */
const nobody: ChosenVoices = () => undefined

const serviceOf = (manifest: Manifest, flags: RunFlags): Batch["service"] => {
  if (flags.embedded === true) return "embedded"
  if (manifest.service === "embedded" && flags.baseUrl === undefined) return manifest.service
  const named = typeof manifest.service === "object" ? manifest.service : undefined
  const baseUrl = flags.baseUrl ?? named?.baseUrl
  if (baseUrl !== undefined)
    return named?.dialect === undefined && named?.body === undefined
      ? { baseUrl }
      : { baseUrl, dialect: dialectOf(named.dialect, named.body) }
  return flags.environmentBaseUrl === undefined ? "embedded" : { baseUrl: flags.environmentBaseUrl }
}

/**
 * Returns a provider's profile: what is assumed of it or, over that, what its service states; a limit learned from
 * refusals; and over all of them the flags' and the manifest's settings. A provider with a tone is sent plain text,
 * unless the manifest says otherwise: an SRT has no tones.
 */
const profiles =
  (manifest: Manifest, flags: RunFlags, limit: LearnedLimit): Batch["profileOf"] =>
  (provider, stated) => {
    const usual = profileOf(provider, stated)
    const own = manifest.providers?.[provider]
    return ProviderProfile.make(
      {
        ...usual,
        ...(own?.tone === undefined ? {} : { srtInput: profileOf(provider).srtInput }),
        maxChars: Math.min(usual.maxChars, limit(provider) ?? Infinity),
        ...(flags.concurrency === undefined ? {} : { concurrency: flags.concurrency }),
        ...own
      },
      skipValidation
    )
  }

/** Adds the film whose subtitle track is a bare input, unless its format holds only subtitles. */
const withOwnFilm = (entry: JobEntry, film: string, flags: Pick<RunFlags, "outputs">): JobEntry =>
  entry.video !== undefined || endingOf(film) === "mks" ? entry : withFilm(entry, film, flags)

/**
 * Adds its film to a bare file's entry. Unless a flag sets the outputs, they include the film with its new track, in
 * the film's own container if that is an output, else in Matroska, which takes any codec.
 */
const withFilm = (entry: JobEntry, video: string, { outputs }: Pick<RunFlags, "outputs">): JobEntry => {
  if (outputs !== undefined) return { ...entry, video }
  return { ...entry, video, outputs: ["wav", "srt", containerFor(video)] }
}
