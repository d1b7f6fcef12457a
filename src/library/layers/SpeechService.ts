/** The speech service that batches use: which one it is, how to connect to it, and what is known without asking it. */
import type { ConfigError, Layer } from "effect"
import { Context } from "effect"
import type { Casting } from "../../domain/speech/Casting.ts"
import type { NoFfmpeg } from "../../ffmpeg/process/FfmpegErrors.ts"
import type { Gateway } from "../../gateway/Gateway.ts"
import type { Batch } from "../../pipeline/load/Job.ts"
import type { RunFlags } from "../../pipeline/load/RunFlags.ts"
import type { ServeFailed } from "../../service/Service.ts"
import type { ServiceUnusable } from "./ServiceErrors.ts"

/** Why there is no connection to a service. */
export type ConnectFailed = ServiceUnusable | ServeFailed | NoFfmpeg | ConfigError.ConfigError

/** Credits for one character; undefined if unknown. */
export type PriceOf = (casting: Casting) => number | undefined

/** What is known about the voices of a service in this process before it is started. */
export interface LocalVoices {
  /** The default voice for a language, for jobs that name none. */
  readonly voiceFor: NonNullable<RunFlags["embeddedVoice"]>
  /** Whether a voice certainly exists, so that the service need not be asked. */
  readonly offers: (casting: Casting) => boolean
  readonly priceOf: PriceOf
}

export class SpeechService extends Context.Tag("library/SpeechService")<
  SpeechService,
  {
    /** Takes precedence over the manifest's `service`, except `environmentBaseUrl`, which the manifest overrides. */
    readonly choice: Pick<RunFlags, "embedded" | "baseUrl" | "environmentBaseUrl" | "providers">
    /** Whether there is a key for a remote service. */
    readonly hasKey: boolean
    /** The gateway to a batch's service. A service in this process keeps its data in `dataDir`. */
    readonly connect: (service: Batch["service"], dataDir: string) => Layer.Layer<Gateway, ConnectFailed>
    readonly local: LocalVoices
  }
>() {}
