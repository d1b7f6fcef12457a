/** Loads a batch for a service: fills in default voices, learned limits, and the providers of voices. */
import type { Array } from "effect"
import { Effect } from "effect"
import { loadBatch, loadManifestValue } from "../../pipeline/load/BatchLoader.ts"
import type { LanguageTag } from "../../domain/values/Ids.ts"
import { withProvidersFound } from "../../pipeline/plan/voices/VoiceProviders.ts"
import type { RunFlags } from "../../pipeline/load/RunFlags.ts"
import { Estimates } from "../../store/tables/Estimates.ts"
import { poolVoices } from "../../store/tables/PoolVoices.ts"
import { readableStateLayer, type StateOf } from "../../store/tables/StateLayers.ts"
import { SpeechService } from "../layers/SpeechService.ts"

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
  | "embeddedVoice"
  | "learnedLimits"
  | "chosenVoices"
>

/**
 * Loads a batch. Voices may still lack their provider. `known` opens the state of earlier runs; `voiceFor` returns the
 * voice of jobs that name none.
 */
export const loadSource = Effect.fn("BatchLoading.loadSource")(function* (
  source: BatchSource,
  flags: LoadFlags,
  known: StateOf = readableStateLayer,
  voiceFor?: NonNullable<RunFlags["embeddedVoice"]>
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
  const embeddedVoice = voiceFor ?? local.voiceFor
  const all: RunFlags = { ...flags, ...choice, embeddedVoice, learnedLimits, chosenVoices }
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
  const languages = new Set<LanguageTag | undefined>()
  const batch = yield* loadSource(source, flags, known, (language) => {
    languages.add(language)
    return service.local.voiceFor(language)
  })
  const found = yield* withProvidersFound(batch, service, known)
  const remarks = service.local.remarks([...languages])
  if (found.batch.service !== "embedded") return { ...found, batch: { ...found.batch, remarks } }
  return { ...found, batch: { ...found.batch, remarks, unusable: yield* service.local.unusable } }
})
