/**
 * What a run tells while it is under way. Stages emit; whoever watches (a terminal, plain lines, JSON) decides what to
 * show.
 */
import { Context, Effect, Layer } from "effect"
import type { JobId, ProviderId, UtteranceKey } from "../domain/values/Ids.ts"

/** Something that happened in a run. */
export type ProgressEvent =
  | {
      readonly _tag: "Planned"
      readonly jobs: number
      readonly utterances: number
      readonly characters: number
      readonly reused: number
    }
  | {
      readonly _tag: "Submitted"
      readonly provider: ProviderId
      readonly utterance: UtteranceKey
      readonly characters: number
      /** What it costs, where the service said so or the price is known. */
      readonly credits?: number
    }
  | { readonly _tag: "Adopted"; readonly provider: ProviderId; readonly utterance: UtteranceKey }
  | {
      readonly _tag: "Spoken"
      readonly provider: ProviderId
      readonly utterance: UtteranceKey
      readonly seconds: number
    }
  | {
      readonly _tag: "Retrying"
      readonly provider: ProviderId
      readonly utterance: UtteranceKey
      readonly why: string
      readonly inSeconds: number
    }
  | {
      readonly _tag: "Failed"
      readonly provider: ProviderId
      readonly utterance: UtteranceKey
      /** Where it is first used: the job and the cue. */
      readonly label: string
      readonly error: string
    }
  | {
      readonly _tag: "LanePaced"
      readonly provider: ProviderId
      readonly inFlight: number
      readonly limit: number
      readonly waitingSeconds: number
    }
  | { readonly _tag: "Stopping"; readonly why: string }
  | { readonly _tag: "Placing"; readonly job: JobId }
  | { readonly _tag: "Delivering"; readonly job: JobId; readonly fraction: number }
  /** A video is written: the last step of a delivery, or after all of them where several jobs go into it. */
  | { readonly _tag: "Muxing"; readonly file: string }
  | { readonly _tag: "Delivered"; readonly job: JobId; readonly files: ReadonlyArray<string> }
  /** A job whose files an earlier run has delivered, and which would be made the same again. */
  | { readonly _tag: "Unchanged"; readonly job: JobId }
  | { readonly _tag: "JobFailed"; readonly job: JobId; readonly error: string }
  | { readonly _tag: "JobUnfinished"; readonly job: JobId; readonly why: string }
  | { readonly _tag: "Warning"; readonly message: string }

/** Where progress goes. Emitting never fails and never waits. */
export class Progress extends Context.Tag("pipeline/Progress")<
  Progress,
  { readonly emit: (event: ProgressEvent) => Effect.Effect<void> }
>() {}

/** Progress that nobody watches. */
export const silent = Layer.succeed(Progress, { emit: () => Effect.void })
