/** How fast the lines of a delivered job are spoken, for the forecasts of the edit box. */
import type { CueReport, JobReport } from "../../domain/report/Report.ts"
import type { Casting } from "../../domain/speech/Casting.ts"
import type { Line } from "../../domain/speech/Line.ts"
import { toSeconds } from "../../domain/time/Units.ts"
import { charactersOf } from "../../domain/speech/Utterance.ts"

/** Paces of a job's voices, in milliseconds per character at speed 1. */
export interface SpeechPaces {
  /** The pace of one cue's present speech; undefined if it has none of its own. */
  readonly ofCue: (cue: number) => number | undefined
  /** The mean pace of a voice; undefined if it speaks no line yet. */
  readonly ofVoice: (casting: Casting) => number | undefined
}

/** Measures the paces in a job's report. Cues of several lines are left out: their report does not separate them. */
export const speechPaces = (report: JobReport | undefined, lines: ReadonlyArray<Line>): SpeechPaces => {
  const reported = new Map((report?.cues ?? []).map((cue) => [cue.index, cue]))
  const counts = new Map<number, number>()
  for (const { cue } of lines) counts.set(cue, (counts.get(cue) ?? 0) + 1)
  const cues = new Map<number, number>()
  const voices = new Map<string, { readonly time: number; readonly characters: number }>()
  for (const { cue, casting } of lines) {
    const spoken = reported.get(cue)
    const time = spoken === undefined ? 0 : recordedMillis(spoken) * (casting.speed ?? 1)
    const characters = charactersOf(spoken?.said ?? "")
    if (counts.get(cue) !== 1 || time === 0 || characters === 0) continue
    cues.set(cue, time / characters)
    const before = voices.get(nameOf(casting)) ?? { time: 0, characters: 0 }
    voices.set(nameOf(casting), {
      time: before.time + time,
      characters: before.characters + characters
    })
  }
  return {
    ofCue: (cue) => cues.get(cue),
    ofVoice: (casting) => {
      const total = voices.get(nameOf(casting))
      return total === undefined ? undefined : total.time / total.characters
    }
  }
}

/** How long a line may go on after its end, in seconds: as long as the job allows, up to the speaker's next line. */
export const tailOf = (line: Line, lines: ReadonlyArray<Line>, late: number): number | undefined => {
  const { slot } = line
  if (slot === undefined) return undefined
  const next = lines.reduce(
    (first, other) =>
      other !== line &&
      other.speaker === line.speaker &&
      other.slot !== undefined &&
      other.slot.start >= slot.end
        ? Math.min(first, other.slot.start)
        : first,
    Infinity
  )
  return Math.max(0, Math.min(late / 1000, next / 1000 - toSeconds(slot.end)))
}

/** A cue's recorded length in milliseconds; 0 if it is not spoken. */
const recordedMillis = ({ placed }: CueReport): number =>
  placed === undefined ? 0 : (placed.end - placed.start) * placed.speed * 1000

const nameOf = ({ provider, voice }: Casting): string => `${provider}/${voice}`
