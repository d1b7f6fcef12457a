/**
 * Decodes received audio that is not WAV: plain MP3 in this process, everything else with ffmpeg, several files per
 * process when many wait.
 */
import { Deferred, Effect, Queue, type Scope } from "effect"
import type { Pcm } from "../../audio/pcm/Pcm.ts"
import { deliveryRate, type SampleRate } from "../../domain/time/Units.ts"
import { filesPerProcess } from "../../ffmpeg/decode/DecodeJob.ts"
import { Ffmpeg } from "../../ffmpeg/Ffmpeg.ts"
import { mp3Threads } from "../../ffmpeg/decode/Mp3WorkerClient.ts"
import { extensionOf, storedRateOf, statedRate } from "./AudioFormatDetection.ts"

/** Why bytes cannot be decoded as audio. */
export interface Undecodable {
  readonly _tag: "Undecodable"
  readonly words: string
}

/** Audio to decode. */
export interface Received<E> {
  readonly bytes: Uint8Array
  /** Writes the bytes to a file, for decoders that read files, and returns its path. */
  readonly laid: Effect.Effect<string, E>
  /** The longest accepted sound in seconds. */
  readonly most: number
}

/** Decodes received audio to 24 or 48 kHz. */
export type Decode = <E>(received: Received<E>) => Effect.Effect<Pcm, Undecodable | E>

/** Maximum number of files in one batch: enough for two processes. */
const maxAtOnce = 2 * filesPerProcess

interface Waiting {
  readonly path: string
  readonly rate: SampleRate
  readonly most: number
  readonly done: Deferred.Deferred<Pcm, Undecodable>
}

/** Makes a decoder that lasts as long as the scope. */
export const makeDecoder: Effect.Effect<Decode, never, Ffmpeg | Scope.Scope> = Effect.gen(function* () {
  const ffmpeg = yield* Ffmpeg
  const plainMp3 = yield* mp3Threads
  const waiting = yield* Queue.unbounded<Waiting>()

  const batch = (group: ReadonlyArray<Waiting>, rate: SampleRate) => {
    const members = group.filter((one) => one.rate === rate)
    if (members.length === 0) return Effect.void
    return ffmpeg
      .decodeMany(
        members.map(({ path, most }) => ({ path, most })),
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
                  ? Deferred.fail(one.done, undecodable("ffmpeg returned no result for it"))
                  : Deferred.complete(
                      one.done,
                      Effect.mapError(result, (fault) => undecodable(`expected audio, found ${fault.found}`))
                    )
              },
              { discard: true }
            )
        }),
        // Each file has its end: without one, its line would wait for ever.
        Effect.catchAllCause((cause) =>
          Effect.forEach(members, (one) => Deferred.failCause(one.done, cause), { discard: true })
        )
      )
  }

  yield* Queue.takeBetween(waiting, 1, maxAtOnce).pipe(
    Effect.map((group) => Array.from(group)),
    Effect.flatMap((group) =>
      Effect.forEach(new Set(group.map((one) => one.rate)), (rate) => batch(group, rate), { discard: true })
    ),
    Effect.forever,
    Effect.forkScoped
  )

  return ({ bytes, laid, most }) =>
    Effect.gen(function* () {
      const rate = storedRateOf(statedRate(bytes) ?? deliveryRate)
      const pcm = extensionOf(bytes) === "mp3" ? yield* plainMp3(bytes, rate, most) : undefined
      if (pcm !== undefined) return pcm
      const done = yield* Deferred.make<Pcm, Undecodable>()
      yield* Queue.offer(waiting, { path: yield* laid, rate, most, done })
      return yield* Deferred.await(done)
    })
})

const undecodable = (words: string): Undecodable => ({ _tag: "Undecodable", words })
