/** The provider of a voice that is named alone: the one that spoke with it before, else the one that lists it. */
import { FileSystem } from "@effect/platform"
import { Effect, Layer } from "effect"
import type { ProviderId, VoiceId } from "../../domain/values/Ids.ts"
import { InvalidResponse } from "../../gateway/GatewayErrors.ts"
import type { Batch } from "../../pipeline/load/Job.ts"
import {
  providersIn,
  readVoiceLists,
  voicesWithoutProvider,
  withProviders
} from "../../pipeline/plan/VoiceProviders.ts"
import { spokenBy } from "../../store/tables/SpokenVoices.ts"
import { readableState } from "../../store/state/StateFolder.ts"
import { gatewayTo } from "../layers/GatewayLayer.ts"
import { CommandEnded, exitCodeFor } from "../ExitCodes.ts"
import { Screen } from "../terminal/Screen.ts"

/** How long a service may take to list its voices. */
const within = "30 seconds"

/**
 * The batch with a provider for each voice. Voices with clips keep the provider that spoke them, so that plan and run
 * agree and a finished batch needs no service.
 */
export const withProvidersFound = Effect.fn("VoiceProvider.found")(function* (batch: Batch, quiet: boolean) {
  const voices = voicesWithoutProvider(batch)
  if (voices.length === 0) return batch
  const known = yield* spokenBefore(batch.state, voices)
  const asked = voices.filter((voice) => !known.has(voice))
  const found = asked.length === 0 ? new Map<VoiceId, ProviderId>() : yield* listedBy(batch, asked)
  const screen = yield* Screen
  if (!quiet)
    for (const [voice, provider] of found)
      yield* screen.say(`note: using ${provider}, the only provider with a voice "${voice}"`)
  return withProviders(batch, new Map([...known, ...found]))
})

const spokenBefore = (state: string, voices: ReadonlyArray<VoiceId>) =>
  Effect.forEach(voices, (voice) => Effect.map(spokenBy(voice), (by) => [voice, by] as const)).pipe(
    Effect.provide(readableState(state)),
    // A state folder that is missing or cannot be read remembers nothing; a run says what is wrong with it.
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

const listedBy = (batch: Batch, voices: ReadonlyArray<VoiceId>) =>
  readVoiceLists().pipe(
    Effect.timeoutFail({
      duration: within,
      onTimeout: () => new InvalidResponse({ words: `none within ${within}` })
    }),
    Effect.provide(listing(batch)),
    Effect.mapError((cause) => {
      const { code, message } = exitCodeFor(cause)
      return new CommandEnded({
        code,
        message:
          `the provider of ${voices.map((voice) => `"${voice}"`).join(", ")} is not named, and the service's ` +
          `voices could not be read: ${message}. Name it with --provider, or with provider: in the manifest`
      })
    }),
    Effect.flatMap((lists) => providersIn(voices, lists, batch.manifest))
  )

/** A bundled service that only lists voices leaves nothing behind. */
const listing = ({ service, state }: Batch) =>
  Layer.unwrapScoped(
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      return gatewayTo(
        service,
        service === "embedded" ? yield* fs.makeTempDirectoryScoped({ prefix: "dubwright-" }) : state
      )
    })
  )
