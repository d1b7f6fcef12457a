/** The functions that make clips of the audio that a run fetches, for a few utterances at a time. */
import { Context, Effect, type Scope } from "effect"
import { type AlignClip, clipAligner } from "./ClipAligner.ts"
import type { ClipWork, MakeClip } from "./ClipWorkerClient.ts"
import { makeDecoder } from "./ReceivedAudio.ts"
import type { ClipFolder } from "../../store/files/ClipFolder.ts"

/** Clips fetched and analyzed at once, over all providers. */
export const fetchesAtOnce = 8

export class ClipIntake extends Context.Tag("pipeline/ClipIntake")<
  ClipIntake,
  ClipWork & {
    readonly align: AlignClip
    /** Runs a fetch in a slot. */
    readonly inSlot: <A, E, R>(fetch: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
    /** Providers of joined MP3 files that were noted. */
    readonly joiners: Set<string>
  }
>() {}

/** Makes the intake; it lives as long as the scope. */
export const makeClipIntake = (maker: Effect.Effect<MakeClip, never, ClipFolder | Scope.Scope>) =>
  Effect.map(Effect.all([makeDecoder, clipAligner, maker]), ([decode, align, makeClip]) => ({
    decode,
    align,
    makeClip,
    inSlot: Effect.unsafeMakeSemaphore(fetchesAtOnce).withPermits(1),
    joiners: new Set<string>()
  }))
