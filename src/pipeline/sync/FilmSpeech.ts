/**
 * Where somebody speaks in a film. Its sound is decoded once. The result takes 60 kB a minute, and is cached in the
 * state folder by the film's digest.
 */
import { readFile, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { Effect, Option, Schema, Stream } from "effect"
import { bandCount, soundRate } from "../../audio/sync/SoundBands.ts"
import { type SpeechTrack, SpeechTracker } from "../../audio/sync/SpeechTrack.ts"
import { SampleRate } from "../../domain/time/Units.ts"
import { Ffmpeg } from "../../ffmpeg/Ffmpeg.ts"
import { type MediaInfo, mainSound } from "../../ffmpeg/probe/MediaInfo.ts"
import { digestOfFilm } from "../../store/files/FilmDigest.ts"
import { replaceFile } from "../../system/AtomicFile.ts"

/** Raise this when the same sound would give another track. */
const edition = 5

/** The folder of tracks in the state folder. */
const folderName = "sound"

/** The speech of a film, as far as its sound could be decoded. */
export interface FilmSpeech {
  readonly track: SpeechTrack
  /** Seconds that could be decoded. */
  readonly seconds: number
}

/** One film at a time is decoded: another job with the same film then finds its track. */
const turn = Effect.unsafeMakeSemaphore(1)

/**
 * Returns the speech of a film's main audio track; none if it has no audio track. Fails if its sound cannot be decoded.
 * A state folder that cannot be written costs only time.
 */
export const filmSpeech = Effect.fn("FilmSpeech.filmSpeech")(function* (
  path: string,
  info: MediaInfo,
  state: string
) {
  const sound = mainSound(info)
  if (sound === undefined) return Option.none<FilmSpeech>()
  const track = info.sounds.indexOf(sound)
  return Option.some(yield* turn.withPermits(1)(keptOrDecoded(path, track, state)))
})

const keptOrDecoded = Effect.fnUntraced(function* (path: string, track: number, state: string) {
  const digest = yield* Effect.option(Effect.tryPromise(() => digestOfFilm(path, edition, track)))
  const file = Option.map(digest, (name) => join(state, folderName, `${name}.speech`))
  const kept = yield* Option.match(file, {
    onNone: () => Effect.succeedNone,
    onSome: (name) =>
      Effect.tryPromise(() => readFile(name)).pipe(Effect.map(unpacked), Effect.orElseSucceed(Option.none))
  })
  if (Option.isSome(kept)) return kept.value
  const made = yield* decoded(path, track)
  if (Option.isSome(file))
    yield* replaceFile(
      file.value,
      (part) => Effect.tryPromise(() => writeFile(part, packed(made))),
      () => "unwritable"
    ).pipe(Effect.ignoreLogged)
  return made
})

const decoded = Effect.fnUntraced(function* (path: string, track: number) {
  const ffmpeg = yield* Ffmpeg
  const tracker = new SpeechTracker()
  let samples = 0
  yield* Stream.runForEach(ffmpeg.decodeSound({ path, track }, SampleRate.make(soundRate)), (block) =>
    Effect.sync(() => {
      samples += block.length
      tracker.push(block)
    })
  )
  const speech: FilmSpeech = { track: tracker.finish(), seconds: samples / soundRate }
  return speech
})

const Header = Schema.parseJson(
  Schema.Struct({ edition: Schema.Literal(edition), seconds: Schema.Number, steps: Schema.Int })
)

/** A line of JSON, then the three tracks. */
const packed = ({ track: { speech, presence, above }, seconds }: FilmSpeech): Buffer =>
  Buffer.concat([
    Buffer.from(`${JSON.stringify({ edition, seconds, steps: speech.length })}\n`),
    speech,
    presence,
    above
  ])

const unpacked = (bytes: Buffer): Option.Option<FilmSpeech> => {
  const end = bytes.indexOf("\n")
  return Schema.decodeOption(Header)(bytes.subarray(0, Math.max(0, end)).toString("utf8")).pipe(
    Option.filter(({ steps }) => bytes.length === end + 1 + (2 + bandCount) * steps),
    Option.map(({ seconds, steps }) => ({
      seconds,
      track: {
        speech: bytes.subarray(end + 1, end + 1 + steps),
        presence: bytes.subarray(end + 1 + steps, end + 1 + 2 * steps),
        above: bytes.subarray(end + 1 + 2 * steps)
      }
    }))
  )
}
