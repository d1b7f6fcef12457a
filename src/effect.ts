/** The library, as effects and layers: `import { dub } from "dubwright/effect"`. See docs/library.md. */
export { Manifest } from "./domain/manifest/Manifest.ts"
export { JobReport, Metrics, RunReport } from "./domain/report/Report.ts"
export type { PlannedJob, PlanReport } from "./domain/report/PlanReport.ts"
export type { Engine, EngineVoice, Speech, SpeechRequest } from "./engines/Engine.ts"
export { EngineUnavailable, SpeechFailed } from "./engines/Engine.ts"
export { Ffmpeg } from "./ffmpeg/Ffmpeg.ts"
export * from "./library/LibraryErrors.ts"
export { dubInEffect as dub, planInEffect as plan, verifyInEffect as verify } from "./library/EffectApi.ts"
export { engineOf } from "./library/EngineFunction.ts"
export { ffmpegAt, ffmpegFromEnvironment, ffmpegOnPath } from "./library/layers/FfmpegLayers.ts"
export { progressTo } from "./library/layers/Listeners.ts"
export {
  embeddedService,
  engineService,
  manifestService,
  remoteService
} from "./library/layers/ServiceLayers.ts"
export { SpeechService } from "./library/layers/SpeechService.ts"
export { readableStateLayer, writableStateLayer } from "./store/tables/StateLayers.ts"
export type {
  BatchInput,
  BatchCallOptions as BatchOptions,
  DubCallOptions as DubOptions,
  ExecutorOption,
  ManifestInput,
  ManifestJob
} from "./library/LibraryOptions.ts"
export type { DubOutcome, FailedCue, DubbedJob, PlanOutcome, VerifyOutcome } from "./library/Outcomes.ts"
export { Progress, silent } from "./pipeline/Progress.ts"
export type { ProgressEvent } from "./pipeline/Progress.ts"
export { localExecutor } from "./pipeline/Dub.ts"
export type { RunExecutor as Executor } from "./pipeline/run/RunExecutor.ts"
export { ClipFolder } from "./store/files/ClipFolder.ts"
export { UtteranceStore } from "./store/tables/UtteranceStore.ts"
export { ServiceConfig } from "./service/config/ServiceConfig.ts"
export { embedded, serve } from "./service/Service.ts"
export type { ServeFailed, ServeOptions, Serving } from "./service/Service.ts"
