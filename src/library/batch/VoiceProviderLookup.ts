/** Finds the provider of a voice set without one: the one that spoke with it before, else the one that lists it. */
import { Effect } from "effect"
import type { ProviderId, VoiceId } from "../../domain/values/Ids.ts"
import { InvalidResponse } from "../../gateway/GatewayErrors.ts"
import type { Batch } from "../../pipeline/load/Job.ts"
import { greeted } from "../../pipeline/plan/ServicePresence.ts"
import {
  providersIn,
  readVoiceLists,
  voicesWithoutProvider,
  withProviders
} from "../../pipeline/plan/VoiceProviders.ts"
import type { StateOf } from "../../pipeline/run/RunState.ts"
import { spokenBy } from "../../store/tables/SpokenVoices.ts"
import { preliminaryGateway } from "../layers/GatewayLayers.ts"
import { VoicesUnlisted } from "../layers/ServiceErrors.ts"
import { warningsTo } from "../layers/Warnings.ts"

/** Timeout for listing the voices. */
const within = "30 seconds"

/**
 * Returns the batch with a provider for each voice, and a note for each provider that was looked up. Voices with clips
 * keep the provider that spoke them, so that plan and run agree and a finished batch needs no service.
 */
export const withProvidersFound = Effect.fn("VoiceProviderLookup.withProvidersFound")(function* (
  batch: Batch,
  state: StateOf
) {
  const voices = voicesWithoutProvider(batch)
  if (voices.length === 0) return { batch, notes: [] }
  const known = yield* spokenBefore(state(batch.state), voices)
  const asked = voices.filter((voice) => !known.has(voice))
  const notes: Array<string> = []
  const found = asked.length === 0 ? new Map<VoiceId, ProviderId>() : yield* listedBy(batch, asked, notes)
  for (const [voice, provider] of found)
    notes.push(`using ${provider}, the only provider with a voice "${voice}"`)
  return { batch: withProviders(batch, new Map([...known, ...found])), notes }
})

const spokenBefore = (state: ReturnType<StateOf>, voices: ReadonlyArray<VoiceId>) =>
  Effect.forEach(voices, (voice) => Effect.map(spokenBy(voice), (by) => [voice, by] as const)).pipe(
    Effect.provide(state),
    // Without a readable state folder there is nothing to look up; a run reports why it is unreadable.
    Effect.orElseSucceed(() => []),
    Effect.map(
      (all) =>
        new Map(
          all.flatMap(([voice, [provider, ...others]]) =>
            provider === undefined || others.length > 0 ? [] : [[voice, provider] as const]
          )
        )
    )
  )

const listedBy = (batch: Batch, voices: ReadonlyArray<VoiceId>, notes: Array<string>) =>
  // An absent service is reported after 8 s; without this, the reads would be retried silently until the timeout.
  Effect.zipRight(greeted(batch), readVoiceLists()).pipe(
    Effect.timeoutFail({
      duration: within,
      onTimeout: () => new InvalidResponse({ words: `no response within ${within}` })
    }),
    Effect.provide([preliminaryGateway(batch), warningsTo(notes)]),
    Effect.mapError((cause) => new VoicesUnlisted({ voices, cause })),
    Effect.flatMap((lists) => providersIn(voices, lists, batch.manifest))
  )
