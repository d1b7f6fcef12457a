/** Measures the sound of any audio or video file, and judges it by a delivery profile. */
import { Path } from "@effect/platform"
import { Effect, Schema, Stream } from "effect"
import { DeliveryMeter } from "../../audio/level/DeliveryMeter.ts"
import type { SpokenStretch } from "../../audio/level/StepLoudness.ts"
import { decibelsOf } from "../../audio/pcm/Pcm.ts"
import type { DeliveryProfile } from "../../domain/manifest/DeliveryProfile.ts"
import { judgeSound, type MeasuredSound, type StatedStart } from "../../domain/report/DeliveryRules.ts"
import { type JobReport, unheard } from "../../domain/report/Report.ts"
import { SampleRate } from "../../domain/time/Units.ts"
import { clockTime } from "../../exports/text/Subtitles.ts"
import { Ffmpeg } from "../../ffmpeg/Ffmpeg.ts"
import { mainSound, type MediaInfo } from "../../ffmpeg/probe/MediaInfo.ts"
import { NotAudio } from "../../ffmpeg/process/FfmpegErrors.ts"
import { reportIn } from "./ReportFile.ts"

/**
 * Judges a file. If it is beside a job's report.json, the report says where lines are spoken, and how much longer the
 * film is than the original. `film` is the length in microseconds of the film's picture, for a file without a picture:
 * of the original or, where the picture is held or slowed, of the longer film.
 */
export const judgeFile = Effect.fn("FileJudgement.judgeFile")(function* (
  path: string,
  profile: DeliveryProfile,
  film?: number
) {
  return judgeSound(profile, yield* measureFile(path, film))
})

const measureFile = Effect.fnUntraced(function* (path: string, film: number | undefined) {
  const ffmpeg = yield* Ffmpeg
  const { basename, dirname, resolve } = yield* Path.Path
  const info = yield* ffmpeg.probe(path)
  const sound = mainSound(info)
  if (sound === undefined)
    return yield* new NotAudio({ source: path, reason: "no-audio", found: "a file without an audio track" })
  if (!Schema.is(SampleRate)(sound.rate))
    return yield* new NotAudio({
      source: path,
      reason: "broken",
      found: `a sample rate of ${sound.rate} Hz, which is not between 8000 and 192000`
    })
  const meter = new DeliveryMeter(sound.rate, sound.channels)
  const track = info.sounds.indexOf(sound)
  yield* Stream.runForEach(ffmpeg.decodeChannels({ path, track }, sound.rate, sound.channels), (block) =>
    Effect.sync(() => meter.push(block))
  )
  const report = yield* reportIn(dirname(resolve(path)))
  const spoken = report === undefined ? undefined : linesIn(report)
  const peak = meter.truePeak()
  const shown = info.picture === undefined ? shownLength(film, sound.duration, report) : info.picture.duration
  return {
    programme: meter.integrated(),
    dialogue: spoken === undefined ? undefined : meter.spoken(spoken),
    range: meter.range(),
    truePeak: peak > 0 ? Math.max(unheard.truePeak, decibelsOf(peak)) : unheard.truePeak,
    rate: sound.rate,
    depth: sound.bits,
    codec: sound.codec,
    channels: sound.channels,
    start: startOf(info, sound.rate),
    silence: meter.silence(),
    name: basename(path),
    beyondPicture:
      shown === undefined || sound.duration === undefined ? undefined : (sound.duration - shown) / 1_000_000
  } satisfies MeasuredSound
})

/** The file's start timecode, or the time that a Broadcast Wave file states. */
const startOf = ({ timecode, timeReference }: MediaInfo, rate: number): StatedStart | undefined =>
  timecode !== undefined
    ? { shown: timecode }
    : timeReference === undefined
      ? undefined
      : { shown: clockTime(Math.round((timeReference * 1000) / rate), "."), seconds: timeReference / rate }

/** The length of the picture that goes with a sound: the film's, or that of the longer film if it is nearer. */
const shownLength = (
  film: number | undefined,
  sound: number | undefined,
  report: JobReport | undefined
): number | undefined => {
  if (film === undefined || sound === undefined || report?.picture === undefined) return film
  const longer = film + report.picture.added * 1_000_000
  return Math.abs(sound - longer) < Math.abs(sound - film) ? longer : film
}

/** Where lines are spoken; undefined if none is. */
const linesIn = ({ cues }: JobReport): ReadonlyArray<SpokenStretch> | undefined => {
  const lines = cues.flatMap(({ placed }): ReadonlyArray<SpokenStretch> =>
    placed === undefined ? [] : [placed]
  )
  return lines.length === 0 ? undefined : lines
}
