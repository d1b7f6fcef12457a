/** The speech service that batches use. */
import { type ConfigError, Context } from "effect"
import type { NoFfmpeg } from "../../ffmpeg/process/FfmpegErrors.ts"
import type { SpeechAccess } from "../../pipeline/plan/SpeechAccess.ts"
import type { ServeFailed } from "../../service/Service.ts"
import type { ServiceUnusable } from "./ServiceErrors.ts"

/** Why the connection to a service failed. */
export type ConnectFailed = ServiceUnusable | ServeFailed | NoFfmpeg | ConfigError.ConfigError

export class SpeechService extends Context.Tag("library/SpeechService")<
  SpeechService,
  SpeechAccess<ConnectFailed>
>() {}
