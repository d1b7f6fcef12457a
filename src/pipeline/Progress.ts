/**
 * Progress events of a run. Stages emit them; the output (a live terminal display, plain lines, JSON) decides what to
 * show.
 */
import { Context, Effect, Layer, Option } from "effect"
import type { JobId, ProviderId, UtteranceKey } from "../domain/values/Ids.ts"

/** An event of a run. */
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
      /** Its cost, if the service reports it or the price is known. */
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
      /** The job and cue where it is first used. */
      readonly label: string
      readonly error: string
    }
  | {
      readonly _tag: "ProviderPaced"
      readonly provider: ProviderId
      readonly inFlight: number
      readonly limit: number
      readonly waitingSeconds: number
    }
  | { readonly _tag: "Stopping"; readonly why: string }
  /** Clips of a job are transcribed: how many of them so far. */
  | { readonly _tag: "Listening"; readonly job: JobId; readonly done: number; readonly total: number }
  | { readonly _tag: "Placing"; readonly job: JobId }
  | { readonly _tag: "Delivering"; readonly job: JobId; readonly fraction: number }
  /** A video is being written: the last step of a delivery, or after all deliveries if several jobs share it. */
  | { readonly _tag: "Muxing"; readonly file: string }
  | { readonly _tag: "Delivered"; readonly job: JobId; readonly files: ReadonlyArray<string> }
  /** A job that an earlier run delivered, and whose files would be the same. */
  | { readonly _tag: "Unchanged"; readonly job: JobId }
  | { readonly _tag: "JobFailed"; readonly job: JobId; readonly error: string }
  | { readonly _tag: "JobUnfinished"; readonly job: JobId; readonly why: string }
  | { readonly _tag: "Warning"; readonly message: string }

/** Receives progress events. Emitting never fails and never blocks. */
export class Progress extends Context.Tag("pipeline/Progress")<
  Progress,
  { readonly emit: (event: ProgressEvent) => Effect.Effect<void> }
>() {}

/** Emits an event. */
export const emit = (event: ProgressEvent): Effect.Effect<void, never, Progress> =>
  Effect.flatMap(Progress, (progress) => progress.emit(event))

/** Emits a warning. */
export const warn = (message: string) => emit({ _tag: "Warning", message })

/** Discards every event. */
export const silent = Layer.succeed(Progress, { emit: () => Effect.void })

/** Passes events to the caller's `Progress`, if there is one. Otherwise adds the warnings to `notes`. */
export const warningsTo = (notes: Array<string>): Layer.Layer<Progress> =>
  Layer.effect(
    Progress,
    Effect.map(
      Effect.serviceOption(Progress),
      Option.getOrElse((): Progress["Type"] => ({
        emit: (event) =>
          Effect.sync(() => {
            if (event._tag === "Warning") notes.push(event.message)
          })
      }))
    )
  )
