/** How a batch reaches its speech service, and the facts about the service that need no request. */
import { FileSystem } from "@effect/platform"
import { Effect, Layer } from "effect"
import type { Casting } from "../../domain/speech/Casting.ts"
import type { TraitsOf } from "../../domain/speech/VoiceTraits.ts"
import type { Gateway } from "../../gateway/Gateway.ts"
import type { Batch } from "../load/Job.ts"
import type { RunFlags } from "../load/RunFlags.ts"

/** Credits for one character; undefined if unknown. */
export type PriceOf = (casting: Casting) => number | undefined

/** Why a voice cannot read a part of a text; undefined if it can, or if that is unknown. */
export type UnreadReason = (casting: Casting, part: string, whole: string) => string | undefined

/** Data about the voices of a service in this process, available before it is started. */
export interface LocalVoices {
  /** The voices for a language, the preferred ones first, for jobs that name none. */
  readonly voicesFor: NonNullable<RunFlags["bundledVoices"]>
  readonly traitsOf: TraitsOf
  /** Whether a voice certainly exists, so that the service need not be asked. */
  readonly offers: (casting: Casting) => boolean
  readonly priceOf: PriceOf
  /** The providers and voices, by id, that cannot speak on this machine: the reason, and what to do. */
  readonly unusable: Effect.Effect<ReadonlyMap<string, string>>
  readonly unread: Effect.Effect<UnreadReason>
  /** Notes on the default voices of these languages: which ones are used, and how to get better ones. */
  readonly remarks: (languages: ReadonlyArray<string | undefined>) => ReadonlyArray<string>
}

/** A speech service; connecting may fail with `E`. */
export interface SpeechAccess<E> {
  /** Takes precedence over the manifest's `service`, except `environmentBaseUrl`, which the manifest overrides. */
  readonly choice: Pick<RunFlags, "embedded" | "baseUrl" | "environmentBaseUrl" | "providers">
  /** Whether there is a key for a remote service. */
  readonly hasKey: boolean
  /** The gateway to a batch's service. A service in this process keeps its data in `dataDir`. */
  readonly connect: (service: Batch["service"], dataDir: string) => Layer.Layer<Gateway, E>
  readonly local: LocalVoices
}

/** The gateway to a service for reading only. A service in this process gets a temporary folder. */
export const readingGateway = <E>(service: Batch["service"], connect: SpeechAccess<E>["connect"]) =>
  Layer.unwrapScoped(
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      // A remote service keeps no data here.
      return connect(
        service,
        service === "embedded" ? yield* fs.makeTempDirectoryScoped({ prefix: "dubwright-" }) : ""
      )
    })
  )

/** The gateway for requests before a run. */
export const preliminaryGateway = <E>(
  { connect }: Pick<SpeechAccess<E>, "connect">,
  { service }: Pick<Batch, "service">
) => readingGateway(service, connect)
