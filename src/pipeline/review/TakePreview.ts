/**
 * Mixes the programme around a take, as accepting the take would deliver it: the user hears the line in its place
 * before its file is written.
 */
import { Effect, Option } from "effect"
import { sectionAt } from "../../audio/pcm/Section.ts"
import { gainOf, toInt16 } from "../../audio/pcm/Pcm.ts"
import { sampleBytesOf, wavHeader } from "../../audio/formats/WavHeader.ts"
import { soundNames } from "../../domain/manifest/Outputs.ts"
import type { Clip } from "../../domain/speech/Clip.ts"
import type { Placement } from "../../domain/speech/Placement.ts"
import type { PictureStretch } from "../../domain/time/PictureStretch.ts"
import { frames, type Millis, millis } from "../../domain/time/Units.ts"
import type { UtteranceKey } from "../../domain/values/Ids.ts"
import { floatsIn } from "../../ffmpeg/decode/DecodeJob.ts"
import { ClipFolder } from "../../store/files/ClipFolder.ts"
import { deliveredLength, programmeOf } from "../deliver/OutputPlan.ts"
import { deliveredLevel } from "../deliver/LevelMemory.ts"
import type { Batch, Job } from "../load/Job.ts"
import { bedOf, feedOf, mixLinesIn } from "../mix/MixLines.ts"
import { renderSection, SectionRenderer } from "../mix/SectionRenderer.ts"
import type { JobPlan } from "../plan/BatchPlan.ts"
import { readBackground } from "../plan/media/JobBackground.ts"
import { separatedBed } from "../plan/media/SeparatedBed.ts"
import { playableFiles } from "../report/ReportPages.ts"

/** A take, with its job planned and placed as if the take were accepted. */
export interface PlacedTake {
  readonly plan: JobPlan
  readonly clips: ReadonlyMap<UtteranceKey, Clip>
  /** All placements of the job. */
  readonly placements: ReadonlyArray<Placement>
  readonly stretches: ReadonlyArray<PictureStretch>
  /** When the take is heard. */
  readonly start: Millis
  readonly end: Millis
}

/** The mix around a take. */
export interface TakePreview {
  /** The second of the programme at which it begins. */
  readonly from: number
  /** A 16-bit WAV file. */
  readonly wav: Uint8Array
}

/** Seconds before and after a take: its neighbours may move with it. */
const around = 10

/**
 * Returns the mix around a take. Its level is that of the last delivery; the take may change it by fractions of a
 * decibel. Undefined if the job has no level yet, if accepting the take would change the film's length or move all
 * later lines, if the delivery may use other takes, if the page plays more than the mix, and if a clip cannot be read.
 */
export const previewOf = Effect.fn("TakePreview.previewOf")(function* (
  { out }: Batch,
  { plan, clips, placements, stretches, start, end }: PlacedTake
) {
  const { job, video, script } = plan
  const level = Option.getOrUndefined(yield* deliveredLevel(out, job.id))
  const isOnlyLine = stretches.length === 0 && script._tag === "Subtitle" && !job.retake
  if (level === undefined || !isOnlyLine || !playsMix(job)) return undefined
  const last = millis(placements.reduce((latest, placement) => Math.max(latest, placement.end), 0))
  const given = yield* readBackground(job)
  const length = deliveredLength(plan, last, given)
  const background = given ?? (yield* separatedBed(job, video))
  const programme = programmeOf({ job, placements, clips, length, background })
  const from = Math.max(0, Math.floor(start / 1000) - around)
  const seconds = Math.ceil(end / 1000) + around - from
  const feed = feedOf(programme)
  const section = sectionAt(from, seconds, programme.length, programme.rate)
  const { folder } = yield* ClipFolder
  const { rate, channels } = programme
  const mastering = {
    rate,
    channels,
    stems: 0,
    gain: level.gain,
    ceiling: gainOf(level.peak),
    ...bedOf(programme)
  }
  const header = wavHeader({ ...feed, encoding: "int16", frames: frames(section.to - section.from) })
  return yield* Effect.try(() => {
    const orders = [{ request: 0, order: { kind: "feed", from: feed } }] as const
    const lines = mixLinesIn(programme, section, [])
    const steps = renderSection(mastering, section, lines, orders, new SectionRenderer(folder))
    const blocks = Array.from(steps, (made) =>
      made.map(({ bytes }) => sampleBytesOf(toInt16(floatsIn(bytes))))
    )
    return { from, wav: Buffer.concat([header, ...blocks.flat()]) } satisfies TakePreview
    // A clip that cannot be read. The delivery reports it.
  }).pipe(Effect.orElseSucceed(() => undefined))
})

/** Whether the job's page plays just the mix. With `duck`, the film's own sound is in the same track of a video. */
export const playsMix = ({ outputs, original }: Pick<Job, "outputs" | "original">): boolean => {
  const played = playableFiles.find((name) => outputs.includes(name))
  return played !== undefined && (original !== "duck" || soundNames.some((name) => name === played))
}
