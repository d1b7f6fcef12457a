/** Decodes and stores the audio that a run fetches, for a few utterances at a time. */
import { Context, Effect } from "effect"
import { Slots } from "../../../gateway/pacing/Slots.ts"
import { type AlignClip, clipAligner } from "../../clips/ClipAligner.ts"
import type { ClipWork, MakeClip } from "../../clips/ClipWorkerClient.ts"
import { makeDecoder } from "../../clips/ReceivedAudio.ts"

/** Clips fetched and analyzed at once, over all providers. */
export const fetchesAtOnce = 8

export class ClipIntake extends Context.Tag("pipeline/ClipIntake")<
  ClipIntake,
  ClipWork & {
    readonly align: AlignClip
    /** Runs a fetch in a slot. */
    readonly inSlot: Slots["hold"]
  }
>() {}

/** Makes the intake; it lives as long as the scope. */
export const makeClipIntake = (makeClip: MakeClip) =>
  Effect.map(Effect.all([makeDecoder, clipAligner]), ([decode, align]) => ({
    decode,
    align,
    makeClip,
    inSlot: new Slots(fetchesAtOnce).hold
  }))
