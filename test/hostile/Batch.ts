/** A small batch, and the real layers that speak it. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect, Layer, Redacted } from "effect"
import { Casting } from "../../src/domain/speech/Casting.ts"
import { JobId, ProviderId, VoiceId } from "../../src/domain/values/Ids.ts"
import { profileOf, ProviderProfile } from "../../src/domain/speech/ProviderProfile.ts"
import { makeUtterance, type Utterance } from "../../src/domain/speech/Utterance.ts"
import { Gateway } from "../../src/gateway/Gateway.ts"
import { ServiceAddress } from "../../src/gateway/exchange/ServiceAddress.ts"
import { HttpTransport } from "../../src/gateway/exchange/HttpTransport.ts"
import { Progress, type ProgressEvent } from "../../src/pipeline/Progress.ts"
import { defaultSpeakSettings } from "../../src/pipeline/speak/SpeakSettings.ts"
import { ClipFolder } from "../../src/store/files/ClipFolder.ts"
import { Estimates } from "../../src/store/tables/Estimates.ts"
import { writableState } from "../../src/store/state/StateDatabase.ts"
import { UtteranceStore } from "../../src/store/tables/UtteranceStore.ts"
import type { HostileService } from "./HostileService.ts"
import { bundledFfmpeg } from "../ffmpeg/binaries.ts"

export const casting = Casting.make({
  provider: ProviderId.make("provider_fast"),
  voice: VoiceId.make("vi-anna")
})

/** Utterances with different words and lengths. */
export const utterances = (count: number): ReadonlyArray<Utterance> =>
  Array.from({ length: count }, (_, i) => {
    const words = `Line ${i} of the scene${", and some more words".repeat(i % 3)}.`
    return makeUtterance(casting, "text", words, [words])
  })

export const job = (list: ReadonlyArray<Utterance>) => [
  {
    job: JobId.make("ep01"),
    utterances: list.map((utterance, i) => ({ utterance, label: `ep01 #${i + 1}` }))
  }
]

/** Settings for these utterances, with a concurrency of 8. */
export const settingsFor = (list: ReadonlyArray<Utterance>) => ({
  ...defaultSpeakSettings,
  keys: list.map((utterance) => utterance.key),
  profileOf: (provider: ProviderId) => ProviderProfile.make({ ...profileOf(provider), concurrency: 8 })
})

export const temporaryFolder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "dubwright-"))),
  (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
)

/** The store in a folder. */
export const stored = (folder: string) =>
  Layer.mergeAll(UtteranceStore.Default, ClipFolder.Default, Estimates.Default).pipe(
    Layer.provideMerge(writableState(folder))
  )

/** Everything that the speak stage needs, as real layers. */
export const parts = (
  folder: string,
  service: HostileService,
  events: Array<ProgressEvent> = [],
  key?: string
) =>
  Layer.mergeAll(
    stored(folder),
    bundledFfmpeg,
    Gateway.Default.pipe(
      Layer.provide(HttpTransport.Default),
      Layer.provide(
        Layer.succeed(ServiceAddress, {
          baseUrl: new URL(service.baseUrl),
          key: Redacted.make(key ?? service.character.key),
          answerWithin: "2 seconds",
          audioWithin: "5 seconds",
          // The limit is short only if audio is meant to stall. Otherwise, a busy machine might look like a stall.
          ...(service.character.odds["audio-stalls"] === undefined ? {} : { stallWithin: "1500 millis" })
        })
      )
    ),
    Layer.succeed(Progress, { emit: (event) => Effect.sync(() => void events.push(event)) })
  )

/** Starts a service, for the lifetime of the scope. */
export const serving = (service: HostileService) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      await service.start()
      return service
    }),
    () => Effect.promise(() => service.stop())
  )
