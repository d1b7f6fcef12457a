/** The library, as promises: `import { dub } from "dubwright"`. See docs/library.md. */
export { manifestSchema } from "./domain/manifest/ManifestSchema.ts"
export { SpeechFailed } from "./engines/Engine.ts"
export type { EngineVoice, SpeechRequest } from "./engines/Engine.ts"
export type { PlannedJob, PlanReport } from "./domain/report/PlanReport.ts"
export type { Metrics, RunReport } from "./domain/report/Report.ts"
export * from "./library/LibraryErrors.ts"
export { engineOf } from "./library/EngineFunction.ts"
export type { PlainVoice, SpeechEngine, SpokenAudio, SpokenWord } from "./library/EngineFunction.ts"
export type { BatchInput, ManifestJob, ManifestInput } from "./library/LibraryOptions.ts"
export type { LogEntry } from "./library/layers/Listeners.ts"
export type { DubOutcome, FailedCue, DubbedJob, PlanOutcome, VerifyOutcome } from "./library/Outcomes.ts"
export {
  dubAsync as dub,
  planAsync as plan,
  serveAsync as serve,
  verifyAsync as verify
} from "./library/PromiseApi.ts"
export type {
  BatchPromiseOptions as BatchOptions,
  DubPromiseOptions as DubOptions,
  RunningService,
  ServeAsyncOptions as ServeOptions,
  ServiceChoice
} from "./library/PromiseApi.ts"
export type { ProgressEvent } from "./pipeline/Progress.ts"
export type { KeyOptions } from "./service/accounts/KeyRecord.ts"
export type { ServiceConfig } from "./service/config/ServiceConfig.ts"
