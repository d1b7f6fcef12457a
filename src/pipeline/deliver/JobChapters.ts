/** Chapters of a job: those of its manifest, or a narration's headings. */
import type { Script } from "../../domain/speech/Cue.ts"
import type { Placement } from "../../domain/speech/Placement.ts"
import { deliveryRate, type Frames, fromSeconds, type Millis, millisAt } from "../../domain/time/Units.ts"
import type { Chapter } from "../../ffmpeg/encode/Chapters.ts"
import type { Job } from "../load/Job.ts"

/**
 * Returns the chapters of a result of `length` frames at 48 kHz; each lasts until the next, the last one to the end.
 */
export const chaptersOf = (
  { chapters }: Pick<Job, "chapters">,
  script: Script,
  placements: ReadonlyArray<Placement>,
  length: Frames
): ReadonlyArray<Chapter> => {
  const end = millisAt(length, deliveryRate)
  const begun: ReadonlyArray<{ readonly start: Millis; readonly title: string }> =
    chapters?.map(({ start, title }) => ({ start: fromSeconds(start), title })) ??
    headingsOf(script, placements)
  const within = begun.filter(({ start }, at) => start < end && start < (begun[at + 1]?.start ?? end))
  return within.map((chapter, at) => ({ ...chapter, end: within[at + 1]?.start ?? end }))
}

/** The start of each heading's first placement. */
const headingsOf = (script: Script, placements: ReadonlyArray<Placement>) => {
  if (script._tag === "Subtitle") return []
  return script.blocks.flatMap(({ kind, text }, at) => {
    const heard = placements.find(({ lines: [line] }) => line.cue === at + 1)
    return kind === "heading" && heard !== undefined ? [{ start: heard.start, title: text }] : []
  })
}
