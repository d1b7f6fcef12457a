/** Lists the words that the clips of a job should say, and other words that might be heard in them. */
import type { UtteranceKey } from "../../domain/values/Ids.ts"
import { lineName, type UtteranceUse } from "../../domain/speech/Utterance.ts"
import type { ExpectedWords } from "../../script/heard/HeardFaults.ts"
import type { JobPlan } from "../plan/BatchPlan.ts"

/** How many lines before and after a clip's own count as its neighbours. */
const near = 3

/** Returns the expected words of each clip of a job, by its utterance; `takes` are retakes of its lines. */
export const expectedClips = (
  { job, lines, uses, script }: JobPlan,
  takes: ReadonlyArray<UtteranceUse> = []
): ReadonlyMap<UtteranceKey, ExpectedWords> => {
  const positions = new Map(lines.map((line, at) => [lineName(line), at]))
  const texts = new Map(script._tag === "Subtitle" ? script.cues.map(({ index, text }) => [index, text]) : [])
  const expected = new Map<UtteranceKey, ExpectedWords>()
  for (const { utterance, lines: own } of [...uses, ...takes]) {
    if (expected.has(utterance.key)) continue
    const at = own.flatMap((line) => positions.get(lineName(line)) ?? [])
    const [first, last] = [Math.min(...at), Math.max(...at)]
    const neighbours = [
      ...lines.slice(Math.max(0, first - near), first),
      ...lines.slice(last + 1, last + 1 + near)
    ]
    const source = [...new Set(own.map(({ cue }) => cue))].map((cue) => texts.get(cue) ?? "").join(" ")
    expected.set(utterance.key, {
      parts: utterance.said,
      language: job.language,
      neighbours: neighbours.map(({ said }) => said),
      unsaid: unsaidIn(source, utterance.said.join(" "))
    })
  }
  return expected
}

/** The words of a source text that must not be spoken. */
const unsaidIn = (source: string, said: string): string => {
  const spoken = new Set(said.toLowerCase().match(/[\p{L}\p{M}\p{N}]+/gu))
  return (source.match(/[\p{L}\p{M}\p{N}]+/gu) ?? [])
    .filter((word) => !spoken.has(word.toLowerCase()))
    .join(" ")
}
