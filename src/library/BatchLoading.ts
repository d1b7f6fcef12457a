/** Loads a batch for a service: fills in default voices, learned limits, and the providers of voices. */
import type { FileSystem } from "@effect/platform"
import type { Array } from "effect"
import { Effect } from "effect"
import { loadBatch, loadManifestValue } from "../pipeline/load/BatchLoader.ts"
import type { Batch } from "../pipeline/load/Job.ts"
import { withStated } from "../pipeline/plan/StatedRules.ts"
import { traitsIn, withProvidersFound } from "../pipeline/plan/voices/VoiceProviders.ts"
import type { RunFlags } from "../pipeline/load/RunFlags.ts"
import { Estimates } from "../store/tables/Estimates.ts"
import { poolVoices } from "../store/tables/PoolVoices.ts"
import { readableStateLayer, type StateOf } from "../store/tables/StateLayers.ts"
import { SpeechService } from "./layers/SpeechService.ts"

/** The source of a batch. */
export type BatchSource =
  /** A manifest, or bare files. */
  | { readonly files: Array.NonEmptyReadonlyArray<string> }
  /** A manifest as a value. */
  | { readonly value: unknown }

/** Flags that do not depend on the service. */
export type LoadFlags = Omit<
  RunFlags,
  | "embedded"
  | "baseUrl"
  | "environmentBaseUrl"
  | "providers"
  | "bundledVoices"
  | "learnedLimits"
  | "chosenVoices"
>

/**
 * Loads a batch. Voices may still lack their provider. `known` opens the state of earlier runs; `voicesFor` returns the
 * voices for jobs that name none.
 */
export const loadSource = Effect.fn("BatchLoading.loadSource")(function* (
  source: BatchSource,
  flags: LoadFlags,
  known: StateOf = readableStateLayer,
  voicesFor?: NonNullable<RunFlags["bundledVoices"]>
) {
  const { choice, local } = yield* SpeechService
  // Without a readable state folder, no learned limits apply. A run reports the fault.
  const learnedLimits = (state: string) =>
    Effect.map(Estimates, ({ longest }) => longest).pipe(
      Effect.provide(known(state)),
      Effect.orElseSucceed(() => () => undefined)
    )
  const chosenVoices = (state: string) =>
    poolVoices.pipe(
      Effect.provide(known(state)),
      Effect.orElseSucceed(() => () => undefined)
    )
  const bundledVoices = voicesFor ?? local.voicesFor
  const all: RunFlags = { ...flags, ...choice, bundledVoices, learnedLimits, chosenVoices }
  return yield* "files" in source ? loadBatch(source.files, all) : loadManifestValue(source.value, all)
})

/** Loads a batch and finds the provider of each voice without one. Notes say which was found. */
export const loadForRun = Effect.fn("BatchLoading.loadForRun")(function* (
  source: BatchSource,
  flags: LoadFlags,
  known: StateOf = readableStateLayer
) {
  const service = yield* SpeechService
  // The languages of the jobs that name no voice.
  const languages = new Set<string | undefined>()
  const batch = yield* loadSource(source, flags, known, (language) => {
    languages.add(language)
    return service.local.voicesFor(language)
  })
  const found = yield* withProvidersFound(batch, service, known)
  const remarks = service.local.remarks([...languages])
  const isLocal = batch.service === "embedded"
  const traits = isLocal
    ? Effect.succeed(service.local.traitsOf)
    : Effect.provide(
        yield* Effect.cached(traitsIn(found.batch, service)),
        yield* Effect.context<FileSystem.FileSystem>()
      )
  const unusable = isLocal ? { unusable: yield* service.local.unusable } : {}
  const whole: Batch = { ...found.batch, remarks, traits, ...unusable }
  return { ...found, batch: yield* withStated(whole, service, known) }
})
