/** Names of subtitle tracks in films, such as `film.mkv#vi` and `film.mkv#2`, and the choice of a track by its name. */
import { Array, Either } from "effect"
import { nearestName } from "../../domain/values/DidYouMean.ts"
import { type LanguageTag, primaryLanguage } from "../../domain/values/Ids.ts"
import { languageNamed } from "../../domain/values/LanguageName.ts"

/** A subtitle track of a film. */
export interface FilmTrack {
  /** From 1, among the subtitle tracks. */
  readonly number: number
  readonly language: LanguageTag | undefined
  /** ffmpeg's name of its format. */
  readonly codec: string
  /** The extension of its text; undefined if it holds no text. */
  readonly ending: string | undefined
}

const film = /^(?<path>.*\.(?:mkv|mks|mp4|m4v|mov|webm))(?:#(?<track>[^#/\\]*))?$/isu

/** Splits an input that names a film into the film and its track; undefined for other inputs. */
export const filmNamed = (
  input: string
): { readonly path: string; readonly track: string | undefined } | undefined => {
  const { path, track } = film.exec(input)?.groups ?? {}
  return path === undefined ? undefined : { path, track }
}

/** Chooses a track by number, by language, or the only one with text. `path` is the film's, for messages. */
export const chooseTrack = (
  tracks: ReadonlyArray<FilmTrack>,
  path: string,
  wanted: string | undefined
): Either.Either<FilmTrack, string> => {
  if (tracks.length === 0)
    return Either.left(
      "the film has no subtitle tracks; pass a subtitle file, and name the film with --video or in a manifest"
    )
  const all = `its subtitle tracks: ${tracks.map(described).join(", ")}`
  if (wanted === undefined) {
    return onlyOne(tracks, (several) =>
      several.some(({ language }) => language !== undefined)
        ? `name a track by its language or number, such as ${path}#${several[0].language ?? several[0].number}; ${all}`
        : `name a track by its number, such as ${path}#${several[0].number}; ${all}`
    )
  }
  if (/^\d+$/u.test(wanted)) {
    const numbered = tracks.filter(({ number }) => number === Number(wanted))
    return Array.isNonEmptyReadonlyArray(numbered)
      ? withText(numbered)
      : Either.left(`the film has no subtitle track ${wanted}; ${all}`)
  }
  const language = Either.getOrUndefined(languageNamed(wanted))
  const exact = tracks.filter((track) => language !== undefined && track.language === language)
  const near = tracks.filter(
    (track) => language !== undefined && primary(track.language) === primary(language)
  )
  const spoken = exact.length > 0 ? exact : near
  if (language === undefined || spoken.length === 0) {
    const known = Array.dedupe(tracks.flatMap((track) => track.language ?? []))
    const meant = nearestName(wanted, known)
    return Either.left(
      `the film has no subtitle track in ${JSON.stringify(wanted)}${meant === undefined ? "" : `; did you mean #${meant}?`}; ${all}`
    )
  }
  return Either.map(
    onlyOne(
      spoken,
      (several) =>
        `several tracks have the language ${language}: ${several.map(described).join(", ")}; name one by its number, such as ${path}#${several[0].number}`
    ),
    (track) => ({ ...track, language })
  )
}

/** The only track with text. Left: the message of `several` if there are more, or why there is none. */
const onlyOne = (
  tracks: ReadonlyArray<FilmTrack>,
  several: (texts: Array.NonEmptyReadonlyArray<FilmTrack>) => string
): Either.Either<FilmTrack, string> => {
  const texts = tracks.filter(({ ending }) => ending !== undefined)
  const [first, second] = texts
  if (first !== undefined && second === undefined) return Either.right(first)
  return Array.isNonEmptyReadonlyArray(texts) ? Either.left(several(texts)) : withText(tracks)
}

const withText = (tracks: ReadonlyArray<FilmTrack>): Either.Either<FilmTrack, string> => {
  const [first] = tracks
  if (first?.ending !== undefined) return Either.right(first)
  const which = tracks.map(described).join(", ")
  return Either.left(
    tracks.every(({ codec }) => images[codec] !== undefined)
      ? `subtitle track ${which}: images hold no text; convert the track to SRT with OCR, for example with Subtitle Edit, and pass that file`
      : `subtitle track ${which}: the format is not supported; convert the track to SRT, for example with Subtitle Edit, and pass that file`
  )
}

const images: Readonly<Record<string, string>> = {
  hdmv_pgs_subtitle: "PGS images",
  dvd_subtitle: "VobSub images",
  dvb_subtitle: "DVB images",
  xsub: "DivX images"
}

const described = ({ number, language, codec, ending }: FilmTrack): string =>
  `#${number} ${language ?? "of unknown language"}${ending === undefined ? ` (${images[codec] ?? codec})` : ""}`

const primary = (tag: string | undefined): string | undefined =>
  tag === undefined ? undefined : primaryLanguage(tag)
