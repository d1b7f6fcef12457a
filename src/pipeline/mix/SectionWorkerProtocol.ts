/** What is said between a delivery and the threads that make its sections. */
import type { MessagePort } from "node:worker_threads"
import type { SectionMeasurement } from "../../audio/level/ProgrammeMeter.ts"
import type { Section } from "../../audio/pcm/Section.ts"
import type { UtteranceKey } from "../../domain/values/Ids.ts"
import { SinkFault, type RequestOrder } from "../../ffmpeg/encode/SampleSinks.ts"
import type { Mastering, MixLine } from "./SectionRenderer.ts"
import { ClipUnreadable } from "./LineAudio.ts"

/** What a thread is started with. */
export interface ThreadStart {
  readonly mastering: Mastering
  readonly orders: ReadonlyArray<RequestOrder>
  /** The folder of clips. */
  readonly clips: string
  /**
   * From where it takes the lines of a section, some at a time: in both threads they are gone again before there are
   * many.
   */
  readonly lines: MessagePort
  /** Where it leaves the bytes for ffmpeg, slot by slot, and which of the slots are taken: 1, or free: 0. */
  readonly room: SharedArrayBuffer
  readonly slots: SharedArrayBuffer
}

/** Some of a section's lines. */
export type SomeLines = ReadonlyArray<MixLine>

/** A section to be made, whose lines have been sent; the next is sent when it is. */
export type SectionRequest = Section

/** Bytes in a slot. */
export const slotBytes = 512 * 1024

/** What a thread says. */
export type SectionResponse =
  | { readonly kind: "fed"; readonly order: number; readonly slot: number; readonly length: number }
  | { readonly kind: "made"; readonly heard: ReadonlyArray<SectionMeasurement | undefined> }
  | { readonly kind: "failed"; readonly failure: SectionFailure }

/** Why a section could not be made, as much of it as crosses over. */
export type SectionFailure =
  | { readonly _tag: "Clip"; readonly utterance: UtteranceKey }
  /** What the file system or the program refused; where it is about an order, that. */
  | {
      readonly _tag: "Refused"
      readonly order: number | undefined
      readonly code: string
      readonly words: string
    }

export const failureOf = (failure: unknown): SectionFailure => {
  if (failure instanceof ClipUnreadable) return { _tag: "Clip", utterance: failure.utterance }
  const order = failure instanceof SinkFault ? failure.order : undefined
  const cause = failure instanceof SinkFault ? failure.cause : failure
  const code = cause instanceof Error && "code" in cause ? String(cause.code) : ""
  const words = cause instanceof Error ? cause.message : String(cause)
  return { _tag: "Refused", order, code, words }
}
