/** The heard words of a cue, from the clips that its placements play. */
import type { Clip } from "../../domain/speech/Clip.ts"
import type { ClipHearing, HeardFaultKind, PartHearing } from "../../domain/speech/Hearing.ts"
import type { Flag, Placement } from "../../domain/speech/Placement.ts"
import { lineName, type UtteranceUse } from "../../domain/speech/Utterance.ts"
import type { CueReport } from "../../domain/report/Report.ts"
import type { UtteranceKey } from "../../domain/values/Ids.ts"

/** The clips of a job, and the recogniser's results for them. */
export interface HeardClips {
  readonly clips: ReadonlyMap<UtteranceKey, Clip>
  readonly hearings: ReadonlyMap<UtteranceKey, ClipHearing>
  readonly uses: ReadonlyMap<UtteranceKey, UtteranceUse>
}

/** Returns the heard words of the lines with these names; undefined if no recogniser was used. */
export const heardWords = (
  { clips, hearings, uses }: HeardClips,
  names: ReadonlySet<string>,
  placements: ReadonlyArray<Placement>
): CueReport["words"] => {
  const parts: Array<PartHearing> = []
  let unheard: string | undefined
  for (const { utterance, segment } of new Set(placements.flatMap((placement) => placement.parts))) {
    const hearing = hearings.get(utterance)
    if (hearing === undefined) continue
    if ("unheard" in hearing) {
      unheard ??= hearing.unheard
      continue
    }
    // Lines that could not be separated share one segment.
    const isApart = clips.get(utterance)?.segments.length === hearing.parts.length
    const own = isApart
      ? [segment]
      : (uses.get(utterance)?.lines ?? []).flatMap((line, at) => (names.has(lineName(line)) ? [at] : []))
    parts.push(...own.flatMap((at) => hearing.parts[at] ?? []))
  }
  if (unheard !== undefined) return { unheard }
  if (parts.length === 0) return undefined
  return { heard: parts.map(({ heard }) => heard).join(" "), faults: parts.flatMap(({ faults }) => faults) }
}

const flagsOfFaults: Readonly<Record<HeardFaultKind, Flag>> = {
  missing: "missing-words",
  invented: "invented-words",
  doubled: "doubled-words",
  "cut-off": "cut-off-words",
  "wrong-line": "wrong-line",
  tag: "tag-spoken",
  language: "wrong-language"
}

/** The flags of heard words. */
export const flagsOfWords = (words: CueReport["words"]): ReadonlyArray<Flag> =>
  words === undefined
    ? []
    : "unheard" in words
      ? ["not-heard"]
      : words.faults.map(({ kind }) => flagsOfFaults[kind])
