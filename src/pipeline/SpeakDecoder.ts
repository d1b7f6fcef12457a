/** What was received and is no WAV, as samples: by ffmpeg, several files a process when many wait. */
import { Deferred, Effect, Queue, type Scope } from "effect"
import type { Pcm } from "../audio/Pcm.ts"
import { deliveryRate, type SampleRate } from "../domain/Units.ts"
import { filesPerProcess } from "../ffmpeg/Decode.ts"
import { Ffmpeg } from "../ffmpeg/Ffmpeg.ts"
import { keptRate, statedRate } from "./SpeakRate.ts"

/** Why bytes are no audio that can be used, in words. */
export interface Undecodable {
  readonly _tag: "Undecodable"
  readonly words: string
}

/** Decodes what lies in `path`, whose bytes are given too; at 24 or 48 kHz. */
export type Decode = (path: string, bytes: Uint8Array) => Effect.Effect<Pcm, Undecodable>

/** Files that are decoded together at most: two processes of them. */
const mostAtOnce = 2 * filesPerProcess

interface Waiting {
  readonly path: string
  readonly rate: SampleRate
  readonly done: Deferred.Deferred<Pcm, Undecodable>
}

/** Makes a decoder that lasts as long as the scope. */
export const makeDecoder: Effect.Effect<Decode, never, Ffmpeg | Scope.Scope> = Effect.gen(function* () {
  const ffmpeg = yield* Ffmpeg
  const waiting = yield* Queue.unbounded<Waiting>()

  const batch = (group: ReadonlyArray<Waiting>, rate: SampleRate) => {
    const members = group.filter((one) => one.rate === rate)
    if (members.length === 0) return Effect.void
    return ffmpeg
      .decodeMany(
        members.map((one) => ({ path: one.path })),
        rate
      )
      .pipe(
        Effect.matchEffect({
          onFailure: (fault) =>
            Effect.forEach(members, (one) => Deferred.fail(one.done, undecodable(fault.message)), {
              discard: true
            }),
          onSuccess: (results) =>
            Effect.forEach(
              members,
              (one, place) => {
                const result = results[place]
                return result === undefined
                  ? Deferred.fail(one.done, undecodable("ffmpeg gave no result for it"))
                  : Deferred.complete(
                      one.done,
                      Effect.mapError(result, (fault) => undecodable(`expected audio, found ${fault.found}`))
                    )
              },
              { discard: true }
            )
        })
      )
  }

  yield* Queue.takeBetween(waiting, 1, mostAtOnce).pipe(
    Effect.map((group) => Array.from(group)),
    Effect.flatMap((group) =>
      Effect.forEach(new Set(group.map((one) => one.rate)), (rate) => batch(group, rate), { discard: true })
    ),
    Effect.forever,
    Effect.forkScoped
  )

  return (path, bytes) =>
    Effect.gen(function* () {
      const done = yield* Deferred.make<Pcm, Undecodable>()
      yield* Queue.offer(waiting, { path, rate: keptRate(statedRate(bytes) ?? deliveryRate), done })
      return yield* Deferred.await(done)
    })
})

const undecodable = (words: string): Undecodable => ({ _tag: "Undecodable", words })
