/**
 * Reads the subtitle tracks of films that jobs name as their input. The text tracks of a film are copied into the state
 * folder once. The copies serve all jobs and later runs while the film is unchanged.
 */
import { basename, join } from "node:path"
import { FileSystem } from "@effect/platform"
import { ConfigError, Effect, Either, Option } from "effect"
import { isDynamicPattern } from "tinyglobby"
import { JobId } from "../../domain/values/Ids.ts"
import { languageNamed } from "../../domain/values/LanguageName.ts"
import { unreadTrack } from "../../ffmpeg/decode/SubtitleTracks.ts"
import { Ffmpeg } from "../../ffmpeg/Ffmpeg.ts"
import { digestOf } from "../../store/files/Checksum.ts"
import { fileFault } from "./InputFile.ts"
import { jobNameFrom } from "./JobName.ts"
import type { EntryPlace, ExpandedEntry } from "./patterns/EntryExpansion.ts"
import { chooseTrack, type FilmTrack } from "./TrackChoice.ts"

/** Raise this when the same film would give other files. */
const edition = 1

/** A track and the file that holds its text. */
interface KeptTrack extends FilmTrack {
  readonly file: string
}

/** Makes a reader of films that keeps their text tracks in a state folder. Each film is read at most once. */
export const trackReader = Effect.fnUntraced(function* (state: string) {
  const ffmpeg = yield* Effect.cached(
    Ffmpeg.pipe(Effect.provide(Ffmpeg.Default), Effect.catchIf(ConfigError.isConfigError, Effect.die))
  )
  return yield* Effect.cachedFunction((path: string) => tracksOf(path, join(state, "tracks"), ffmpeg))
})
type TrackReader = Effect.Effect.Success<ReturnType<typeof trackReader>>

/** Sets the input of a job that names a film to the text of the wanted track. */
export const withTrack = Effect.fnUntraced(function* (
  job: ExpandedEntry,
  wanted: string | undefined,
  read: TrackReader,
  place: EntryPlace
) {
  const film = job.input
  const reject = (problem: string) =>
    place.rejectInput(isDynamicPattern(job.entry.input) ? `${basename(film)}: ${problem}` : problem)
  const strange = yield* fileFault(film)
  if (strange !== undefined) return yield* reject(strange)
  const tracks = yield* Effect.mapError(read(film), (error) => reject(error.message))
  const track = yield* Either.mapLeft(chooseTrack(tracks, job.entry.input, wanted), reject)
  const file = tracks.find(({ number }) => number === track.number)?.file ?? film
  const { id, track: source } = named(job, wanted)
  return {
    ...job,
    id,
    input: file,
    track: { ...source, ...(track.language === undefined ? {} : { language: track.language }) }
  } satisfies ExpandedEntry
})

/** Adds the track to the default id: `film.vi` for `film.mkv#vi`. */
export const named = (job: ExpandedEntry, wanted: string | undefined) => ({
  ...job,
  track: { film: job.input, written: wanted === undefined ? "" : `#${wanted}` },
  id:
    job.entry.id !== undefined || wanted === undefined
      ? job.id
      : JobId.make(jobNameFrom(`${job.id}.${wanted}`))
})

const tracksOf = Effect.fnUntraced(function* <E extends Error, R>(
  path: string,
  kept: string,
  ffmpeg: Effect.Effect<Ffmpeg, E, R>
) {
  const fs = yield* FileSystem.FileSystem
  const { size, mtime } = yield* fs.stat(path)
  // A film takes too long to read, so its size and modification time are compared instead.
  const folder = join(kept, digestOf([edition, path, `${size}`, Option.getOrNull(mtime)?.getTime()]))
  if (!(yield* fs.exists(folder))) {
    yield* fs.makeDirectory(kept, { recursive: true })
    yield* Effect.scoped(
      Effect.gen(function* () {
        const part = yield* fs.makeTempDirectory({ directory: kept, prefix: "part-" })
        yield* Effect.addFinalizer(() => Effect.ignore(fs.remove(part, { recursive: true })))
        yield* (yield* ffmpeg).extractTracks(path, part)
        // Another run may have been faster.
        yield* Effect.catchAll(fs.rename(part, folder), (fault) =>
          Effect.flatMap(fs.exists(folder), (exists) => (exists ? Effect.void : Effect.fail(fault)))
        )
      })
    )
  }
  const names = yield* fs.readDirectory(folder)
  return names
    .map((name): KeptTrack => {
      const [number = "", language = "", codec = "", ending = ""] = name.split(".")
      return {
        number: Number(number),
        language: language === "und" ? undefined : Either.getOrUndefined(languageNamed(language)),
        codec,
        ending: ending === unreadTrack ? undefined : ending,
        file: join(folder, name)
      }
    })
    .sort((a, b) => a.number - b.number)
})
