/** Messages between a delivery and its section workers. */
import type { MessagePort } from "node:worker_threads"
import type { SectionMeasurement } from "../../audio/level/ProgrammeMeter.ts"
import type { Section } from "../../audio/pcm/Section.ts"
import type { UtteranceKey } from "../../domain/values/Ids.ts"
import { type OrderBytes, SinkFault, type RequestOrder } from "../../ffmpeg/encode/SampleSinks.ts"
import type { Mastering, MixLine } from "./SectionRenderer.ts"
import { BackgroundUnreadable } from "./BackgroundReader.ts"
import { ClipUnreadable } from "./LineAudio.ts"

/** The worker's start data. */
export interface ThreadStart {
  readonly mastering: Mastering
  readonly orders: ReadonlyArray<RequestOrder>
  /** The folder of clips. */
  readonly clips: string
  /** Port from which the worker takes a section's lines, a few at a time, so that neither thread holds many of them. */
  readonly lines: MessagePort
  /** Shared memory for bytes, divided into slots; `slots` holds 1 for a taken slot, 0 for a free one. */
  readonly buffer: SharedArrayBuffer
  readonly slots: SharedArrayBuffer
}

/** Some of a section's lines. */
export type SomeLines = ReadonlyArray<MixLine>

/** A section to render, sent after its lines. The next is sent when it is done. */
export type SectionRequest = Section

/** Bytes per slot. */
export const slotBytes = 512 * 1024

/** A message from a worker. */
export type SectionResponse =
  | ({ readonly kind: "fed"; readonly slot: number; readonly length: number } & Omit<OrderBytes, "bytes">)
  | { readonly kind: "made"; readonly outcomes: ReadonlyArray<SectionMeasurement | undefined> }
  | { readonly kind: "failed"; readonly failure: SectionFailure }

/** Why a section could not be rendered, as plain data. */
export type SectionFailure =
  | { readonly _tag: "Clip"; readonly utterance: UtteranceKey }
  | { readonly _tag: "Background"; readonly path: string; readonly detail: string }
  /** An I/O or internal error, and the order in which it occurred, if any. */
  | {
      readonly _tag: "Refused"
      readonly order: number | undefined
      readonly code: string
      readonly words: string
    }

export const failureOf = (failure: unknown): SectionFailure => {
  if (failure instanceof ClipUnreadable) return { _tag: "Clip", utterance: failure.utterance }
  if (failure instanceof BackgroundUnreadable)
    return { _tag: "Background", path: failure.path, detail: failure.detail }
  const order = failure instanceof SinkFault ? failure.order : undefined
  const cause = failure instanceof SinkFault ? failure.cause : failure
  const code = cause instanceof Error && "code" in cause ? String(cause.code) : ""
  const words = cause instanceof Error ? cause.message : String(cause)
  return { _tag: "Refused", order, code, words }
}
