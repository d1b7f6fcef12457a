/** From the command line's options to a batch that is loaded and planned. */
import type { Array } from "effect"
import { Effect, Option } from "effect"
import type { LanguageTag, ModelId, ProviderId, VoiceId } from "../../domain/values/Ids.ts"
import type { BilingualChoice } from "../../domain/manifest/ScriptSettings.ts"
import { loadBatch } from "../../pipeline/load/BatchLoader.ts"
import type { BatchPlan } from "../../pipeline/plan/BatchPlan.ts"
import type { RunFlags } from "../../pipeline/load/RunFlags.ts"
import { unlistedText } from "../../pipeline/load/UnlistedSubtitles.ts"
import { Estimates } from "../../store/tables/Estimates.ts"
import { embeddedVoice } from "./EmbeddedVoice.ts"
import { Screen } from "../terminal/Screen.ts"
import { environmentBaseUrl } from "../layers/Environment.ts"
import { readableStateLayer } from "../layers/StateLayers.ts"
import { withProvidersFound } from "./VoiceProviderLookup.ts"

/** What every command on a batch takes. */
export interface BatchOptions {
  readonly inputs: Array.NonEmptyReadonlyArray<string>
  readonly baseUrl: string | undefined
  readonly embedded: boolean
  readonly out: string | undefined
  readonly state: string | undefined
  readonly concurrency?: number | undefined
  readonly only: string | undefined
  readonly voice: VoiceId | undefined
  readonly provider: ProviderId | undefined
  readonly model: ModelId | undefined
  readonly language: LanguageTag | undefined
  readonly bilingual?: BilingualChoice | undefined
  readonly json?: boolean
  readonly quiet: boolean
  readonly verbose: boolean
}

/** The batch that the options name. */
export const loadBatchInput = Effect.fn("BatchFlags.batch")(function* (options: BatchOptions) {
  const fromEnvironment = yield* environmentBaseUrl
  const flags: RunFlags = {
    baseUrl: options.baseUrl,
    environmentBaseUrl: Option.getOrUndefined(fromEnvironment),
    embedded: options.embedded,
    out: options.out,
    state: options.state,
    concurrency: options.concurrency,
    only: options.only,
    voice: options.voice,
    provider: options.provider,
    model: options.model,
    language: options.language,
    bilingual: options.bilingual,
    embeddedVoice: (language) => embeddedVoice(language),
    learnedLimits
  }
  return yield* withProvidersFound(yield* loadBatch(options.inputs, flags), options.quiet)
})

/**
 * What the state folder knows; nothing where there is none yet, or none that can be read: whoever needs it will say so.
 */
const learnedLimits = (state: string) =>
  Effect.map(Estimates, ({ longest }) => longest).pipe(
    Effect.provide(readableStateLayer(state)),
    Effect.orElseSucceed(() => () => undefined)
  )

/** So many notices are told one by one; the rest are counted. */
const told = 12

/** Tells what was mended or passed over in the scripts, on stderr. */
export const printNotices = Effect.fnUntraced(function* (
  { notices }: Pick<BatchPlan, "notices">,
  { quiet, verbose }: Pick<BatchOptions, "quiet" | "verbose">
) {
  const screen = yield* Screen
  if (quiet) return
  const shown = verbose ? notices : notices.slice(0, told)
  yield* Effect.forEach(shown, (notice) => screen.say(`note: ${notice}`), { discard: true })
  if (notices.length > shown.length) {
    yield* screen.say(`note: and ${notices.length - shown.length} more like these (--verbose tells all)`)
  }
})

/** Says in one line on stderr which subtitles beside a manifest are in none of its jobs. */
export const tellUnlisted = Effect.fnUntraced(function* (manifest: string, files: ReadonlyArray<string>) {
  const text = unlistedText(manifest, files)
  if (text !== undefined) yield* Effect.flatMap(Screen, ({ say }) => say(`note: ${text}`))
})
