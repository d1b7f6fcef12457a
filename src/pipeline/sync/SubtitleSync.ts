/** Sets the times of a job's cues: by hand, and by the sound of its film. */
import { Effect } from "effect"
import type { Script } from "../../domain/speech/Cue.ts"
import type { MediaInfo } from "../../ffmpeg/probe/MediaInfo.ts"
import type { Words } from "../../script/spoken/CueWords.ts"
import type { Job } from "../load/Job.ts"
import { retimed, type SubtitleTiming, type SyncedScript, unmoved } from "./RetimedScript.ts"

/** A line about a subtitle that does not fit its film, or could not be compared; undefined if it fits. */
export const noticeOf = ({ sync }: SubtitleTiming): string | undefined =>
  sync === undefined || sync.verdict === "in-sync" ? undefined : sync.summary

/** Warns of speech in a film's sound that is hardly lowered, as music and effects are. */
export const dialogueNotice = ({ original, duck }: Job, { sync }: SubtitleTiming): string | undefined =>
  original === "duck" && duck.amount < 6 && (sync?.pieces.length ?? 0) > 0
    ? `speech was found in the film's own sound, which is lowered by only ${duck.amount} dB under the voices; name music and effects without dialogue under background, or set duck: { amount: 12 }`
    : undefined

/**
 * Applies `shift` and `rate` of a job to its subtitle. Then compares it with the film before anything is paid for, and
 * corrects it, as `sync` says.
 */
export const syncSubtitle = Effect.fn("SubtitleSync.syncSubtitle")(function* (
  { rate, shift, video, sync: mode, follow }: Job,
  script: Script,
  words: Words,
  info: MediaInfo | undefined,
  state: string
) {
  const byHand = { rate: rate ?? 1, offset: shift ?? 0 }
  const set = rate === undefined && shift === undefined ? unmoved(script) : retimed(script, () => byHand)
  const unchecked: SyncedScript = set
  if (video === undefined || info === undefined || mode === undefined || script._tag === "Narration")
    return unchecked
  const { compareWithFilm } = yield* Effect.promise(() => import("./FilmComparison.ts"))
  const { path } = video
  return yield* compareWithFilm({ set, words, path, info, state, mode, follow: follow === "speech" })
})
