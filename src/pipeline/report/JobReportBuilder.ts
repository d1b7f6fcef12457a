/** Builds a job's report.json: the outcome of every source cue, and the metrics. */
import { Array } from "effect"
import type { Clip } from "../../domain/speech/Clip.ts"
import type { Script } from "../../domain/speech/Cue.ts"
import type { UtteranceKey, LanguageTag } from "../../domain/values/Ids.ts"
import type { ClipHearing, HeardFaultKind, PartHearing } from "../../domain/speech/Hearing.ts"
import type { Line } from "../../domain/speech/Line.ts"
import type { LineRewriting } from "../../domain/speech/Rewriting.ts"
import type { Flag, Placement } from "../../domain/speech/Placement.ts"
import type { CueReport, JobReport, CueRewrite } from "../../domain/report/Report.ts"
import { SubtitleEntry } from "../../domain/speech/SubtitleEntry.ts"
import { skipValidation } from "../../domain/values/SkipValidation.ts"
import {
  deliveryRate,
  Lufs,
  millis,
  millisAtMicros,
  toSeconds,
  type Frames,
  type Millis
} from "../../domain/time/Units.ts"
import { addedTime, type PictureStretch } from "../../domain/time/PictureStretch.ts"
import { lineName, charactersOf, type UtteranceUse } from "../../domain/speech/Utterance.ts"
import { splitSentences } from "../../script/language/SentenceBoundaries.ts"
import { withoutDirectives } from "../../script/markup/InlineDirectives.ts"
import { behindFilm, type CueWords } from "../../script/spoken/CueWords.ts"
import type { Job } from "../load/Job.ts"
import { metricsOf, type DubbedCue } from "./FitMetrics.ts"
import type { Measured } from "../mix/LoudnessNormalization.ts"
import { mixedLoudness } from "../mix/MixLines.ts"
import { proposalIn } from "../../script/rewritten/Proposal.ts"
import { promptOf, promptText } from "../../script/rewritten/RewritePrompt.ts"
import { pieceGap } from "../place/LinePlacement.ts"
import type { PlacedJob } from "../place/JobPlacement.ts"
import type { JobPlan } from "../plan/BatchPlan.ts"
import { linesDigest } from "./Approvals.ts"

/** The input of a report. */
export type Dubbed = Pick<
  JobPlan,
  "job" | "script" | "words" | "timing" | "lines" | "uses" | "hearings" | "rewritings"
> &
  Pick<PlacedJob, "placements" | "clips" | "failures" | "unsaid" | "suspects"> &
  Partial<Pick<JobPlan, "video"> & Pick<PlacedJob, "stretches">>

/** Cues whose outcomes are found together: what they are found with would take tens of megabytes for a long film. */
const cuesAtOnce = 1_000

/** Yields the outcome of every cue, in the source's order. */
export function* outcomesOf(dubbed: Dubbed): Generator<CueOutcome> {
  const known = { clips: dubbed.clips, hearings: new Map(dubbed.hearings) }
  for (const cues of Array.chunksOf(dubbed.words.cues, cuesAtOnce)) {
    const near = about(dubbed, cues)
    const shares = lineShares(near)
    const sources = sourcesOf(near.script, near.numbers)
    const linesOf = Array.groupBy(near.lines, (line) => `${line.cue}`)
    const keysOf = keysByLine(near.uses)
    const listened = { ...known, uses: new Map(near.uses.map((use) => [use.utterance.key, use])) }
    for (const spoken of cues) {
      const lines = linesOf[`${spoken.cue}`] ?? []
      yield outcomeOf(near, spoken, sources.get(spoken.cue), lines, shares, keysOf, listened)
    }
  }
}

/** Everything about some cues: also the lines of other cues that share an utterance or a placement with theirs. */
const about = (dubbed: Dubbed, cues: ReadonlyArray<CueWords>) => {
  const { overrides = {} } = dubbed.job
  const numbers = new Set(
    cues.flatMap(({ cue }) => [cue, ...(overrides[`${cue}`]?.takes ?? []).map((taken) => taken.cue)])
  )
  const isNear = ({ lines }: Pick<Placement | UtteranceUse, "lines">) =>
    lines.some(({ cue }) => numbers.has(cue))
  const placements = dubbed.placements.filter(isNear)
  const uses = dubbed.uses.filter(isNear)
  const together = new Set([...placements, ...uses].flatMap(({ lines }) => lines.map(({ cue }) => cue)))
  const lines = dubbed.lines.filter(({ cue }) => numbers.has(cue) || together.has(cue))
  return { ...dubbed, numbers, placements, uses, lines }
}

/** Returns the entries of the re-timed subtitle, with the source's text. A subtitle's cues keep their numbers. */
export const entriesOf = (dubbed: Dubbed): ReadonlyArray<SubtitleEntry> => {
  const entries: Array<SubtitleEntry> = []
  for (const { index, captions } of outcomesOf(dubbed))
    for (const caption of captions) {
      const number = dubbed.script._tag === "Subtitle" ? index : entries.length + 1
      entries.push(SubtitleEntry.make({ ...caption, index: number }, skipValidation))
    }
  return entries
}

/** Builds the report. `length` is the length of the result in frames at 48 kHz. */
export const buildJobReport = (
  dubbed: Dubbed,
  length: Frames,
  measured: Pick<Measured, "integrated" | "truePeak">
): JobReport => {
  const { maxSpeed, hardMaxSpeed, minSpeed } = dubbed.job.fit
  const cues: Array<CueReport> = []
  const judged: Array<DubbedCue> = []
  for (const outcome of outcomesOf(dubbed)) {
    cues.push(cueReport(outcome))
    judged.push(dubbedCue(outcome))
  }
  return {
    job: dubbed.job.id,
    input: dubbed.job.inputName,
    ...(dubbed.job.language === undefined ? {} : { language: dubbed.job.language }),
    duration: length / deliveryRate,
    fit: { maxSpeed, hardMaxSpeed, minSpeed },
    ...pictureOf(dubbed.stretches),
    ...(dubbed.timing?.sync === undefined ? {} : { sync: dubbed.timing.sync }),
    cues,
    metrics: metricsOf(
      judged,
      dubbed.placements.map(({ parts: [{ utterance, segment }], ...placement }) => ({
        ...placement,
        loudness: mixedLoudness(dubbed.clips.get(utterance)?.segments[segment]?.loudness ?? Lufs.make(-70))
      })),
      { integrated: measured.integrated, truePeak: measured.truePeak }
    )
  }
}

const pictureOf = (stretches: ReadonlyArray<PictureStretch> = []): Pick<JobReport, "picture"> =>
  stretches.length === 0
    ? {}
    : {
        picture: {
          added: toSeconds(addedTime(stretches)),
          stretches: stretches.map(({ cue, from, to, added }) => ({
            cue,
            from: toSeconds(from),
            to: toSeconds(to),
            added: toSeconds(added)
          }))
        }
      }

interface Source {
  readonly start?: Millis
  readonly end?: Millis
  readonly text: string
}

/** The source texts with these numbers. */
const sourcesOf = (script: Script, numbers: ReadonlySet<number>): ReadonlyMap<number, Source> => {
  const sources = new Map<number, Source>()
  if (script._tag === "Subtitle")
    for (const cue of [...script.cues, ...script.lost]) {
      if (numbers.has(cue.index)) sources.set(cue.index, cue)
    }
  else
    for (const number of numbers) {
      const block = script.blocks[number - 1]
      if (block !== undefined) sources.set(number, { text: block.text })
    }
  return sources
}

const outcomeOf = (
  dubbed: Dubbed,
  spoken: CueWords,
  source: Source | undefined,
  lines: ReadonlyArray<Line>,
  shares: ReadonlyMap<string, LineShare>,
  keysOf: ReadonlyMap<string, ReadonlyArray<UtteranceKey>>,
  listened: HeardClips
) => {
  const { failures, unsaid, suspects, job, script, video, timing, rewritings } = dubbed
  const heard = lines.flatMap((line) => shares.get(lineName(line)) ?? [])
  const filmEnd = video === undefined ? Infinity : millisAtMicros(video.duration)
  const from = heard.length === 0 ? undefined : millis(Math.min(...heard.map((share) => share.start)))
  const to = heard.length === 0 ? undefined : millis(Math.max(...heard.map((share) => share.end)))
  const names = Array.dedupe(lines.flatMap((line) => line.speaker ?? []))
  const keys = lines.flatMap((line) => keysOf.get(lineName(line)) ?? [])
  const error = keys.flatMap((key) => failures.get(key) ?? [])[0]
  const isJoined = lines.length === 0 && joinedTo(job, spoken.cue)
  const reason = "skipped" in spoken ? spoken.skipped : isJoined ? "joined" : undefined
  const lost = "why" in spoken ? `${job.inputName}:${spoken.line}: ${spoken.why}` : undefined
  const behind = reason === behindFilm || (from !== undefined && from >= filmEnd)
  const skipped = reason === behindFilm || reason === "lost" ? undefined : reason
  const whole = heard.length === lines.length && from !== undefined && to !== undefined && !behind
  const starts = heard.map(({ words }) => words)
  const text = source?.text ?? ""
  const taken = (job.overrides?.[`${spoken.cue}`]?.takes ?? []).flatMap(({ cue, was }) =>
    keysOf.has(`${cue}.0`) ? [] : (was ?? [])
  )
  const words = heardWords(
    listened,
    new Set(lines.map(lineName)),
    heard.map((share) => share.placement)
  )
  const rewrites = rewritesOf(spoken.cue, rewritings, job.language)
  const flags = distinctFlags([
    ...flagsOfWords(words),
    ...heard.flatMap((share) => share.placement.flags),
    ...flagsOfRewrites(rewrites),
    ...(keys.some((key) => suspects.has(key)) ? (["suspect"] as const) : []),
    ...(!whole && skipped === undefined && job.onFailure === "silence" ? (["silent"] as const) : [])
  ])
  return {
    index: spoken.cue,
    // The cue's times in the film; for a narration, the times of its speech.
    start: source?.start ?? from ?? millis(0),
    end: source?.end ?? to ?? millis(0),
    // Its times in the file, if it was moved.
    source: timing?.moved.get(spoken.cue),
    text,
    speaker: names.length === 0 ? undefined : names.join(", "),
    said: lines.length === 0 ? undefined : lines.map((line) => line.said).join(" "),
    skipped,
    error:
      whole || skipped !== undefined
        ? undefined
        : behind
          ? "the film ends before it is spoken"
          : (lost ??
            error ??
            (lines.some((line) => unsaid.has(lineName(line)))
              ? "the service returned no speech for it; check that the voice supports this text"
              : "its audio has not been fetched yet")),
    heard: whole
      ? {
          start: from,
          end: millis(Math.min(filmEnd, to)),
          speed: Math.max(...heard.map((share) => share.placement.speed))
        }
      : undefined,
    // When each word of `said` begins, if known.
    wordStarts: whole && starts.every((known) => known !== undefined) ? starts.flat() : undefined,
    // Its entries in the re-timed subtitle: the cue itself, or a narration's paragraph sentence by sentence.
    captions: whole
      ? (script._tag === "Subtitle"
          ? [{ text: withoutDirectives([text, ...taken].join("\n")), start: from, end: to }]
          : sentenceCaptions({ text: withoutDirectives(text), start: from, end: to }, heard, job.language)
        )
          .filter(({ start }) => start < filmEnd)
          .map(({ text, start, end }) => ({ text, start, end: millis(Math.min(filmEnd, end)) }))
      : [],
    utterance: keys[0],
    engine: enginesOf(dubbed, keys),
    words,
    rewrites,
    flags,
    shortenBy: heard.flatMap((share) => share.placement.shortenBy ?? [])[0],
    lines,
    // How many of its words come after the film's end.
    cutWords: heard.reduce((sum, share) => sum + wordsBehind(share, filmEnd), 0)
  }
}

/** The outcome of one source cue. */
export type CueOutcome = ReturnType<typeof outcomeOf>

/** An entry of the re-timed subtitle. */
interface TimedCaption {
  readonly text: string
  readonly start: Millis
  readonly end: Millis
}

/** Returns a cue's entry in the report. */
const cueReport = (cue: CueOutcome): CueReport => {
  const digest = linesDigest(cue.lines)
  return {
    index: cue.index,
    start: toSeconds(cue.source?.start ?? cue.start),
    end: toSeconds(cue.source?.end ?? cue.end),
    ...(cue.source === undefined
      ? {}
      : { corrected: { start: toSeconds(cue.start), end: toSeconds(cue.end) } }),
    text: cue.text,
    ...(cue.speaker === undefined ? {} : { speaker: cue.speaker }),
    status: statusOf(cue),
    ...(cue.skipped === undefined ? {} : { skipped: cue.skipped }),
    ...(cue.error === undefined ? {} : { error: cue.error }),
    ...(cue.said === undefined ? {} : { said: cue.said }),
    ...(cue.heard === undefined
      ? {}
      : {
          placed: {
            start: toSeconds(cue.heard.start),
            end: toSeconds(cue.heard.end),
            speed: Math.round(cue.heard.speed * 1000) / 1000
          }
        }),
    ...(cue.wordStarts === undefined ? {} : { wordStarts: cue.wordStarts.map(toSeconds) }),
    ...(cue.utterance === undefined ? {} : { utterance: cue.utterance }),
    ...(cue.engine === undefined ? {} : { engine: cue.engine }),
    ...(cue.words === undefined ? {} : { words: cue.words }),
    flags: cue.flags,
    ...(cue.shortenBy === undefined ? {} : { shortenBy: cue.shortenBy }),
    ...(cue.rewrites === undefined ? {} : { rewrites: cue.rewrites }),
    ...(digest === undefined ? {} : { digest })
  }
}

const statusOf = (cue: CueOutcome): CueReport["status"] =>
  cue.heard !== undefined ? "spoken" : cue.skipped !== undefined ? "skipped" : "failed"

/** Returns the data of a cue that the metrics use. */
const dubbedCue = (cue: CueOutcome): DubbedCue => ({
  status: statusOf(cue),
  start: cue.start,
  end: cue.end,
  cutWords: cue.cutWords,
  ...(cue.heard === undefined ? {} : { heard: { ...cue.heard, overrun: cue.flags.includes("overrun") } })
})

/** Returns the engines that spoke a cue, if the service says so. */
const enginesOf = ({ clips }: Dubbed, keys: ReadonlyArray<UtteranceKey>): string | undefined => {
  const names = Array.dedupe(keys.flatMap((key) => clips.get(key)?.engine ?? []))
  return names.length === 0 ? undefined : names.join(", ")
}

/** Whether another cue's line says the words of this one. */
const joinedTo = ({ overrides = {} }: Job, cue: number): boolean =>
  Object.values(overrides).some(({ takes }) => takes?.some((taken) => taken.cue === cue))

/**
 * Returns a caption per sentence of a paragraph, timed by its line. If sentences and lines do not match one to one, the
 * whole paragraph is one caption.
 */
const sentenceCaptions = (
  paragraph: TimedCaption,
  heard: ReadonlyArray<LineShare>,
  language: string | undefined
): ReadonlyArray<TimedCaption> => {
  const sentences = splitSentences(paragraph.text, language)
  return sentences.length === heard.length
    ? Array.zipWith(sentences, heard, (text, { start, end }) => ({ text, start, end }))
    : [paragraph]
}

const distinctFlags = (flags: ReadonlyArray<Flag>): ReadonlyArray<Flag> => [...new Set(flags)]

/** The clips of a job, and the recogniser's results for them. */
interface HeardClips {
  readonly clips: ReadonlyMap<UtteranceKey, Clip>
  readonly hearings: ReadonlyMap<UtteranceKey, ClipHearing>
  readonly uses: ReadonlyMap<UtteranceKey, UtteranceUse>
}

/** Returns the heard words of the lines with these names; undefined if no recogniser was used. */
const heardWords = (
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
const flagsOfWords = (words: CueReport["words"]): ReadonlyArray<Flag> =>
  words === undefined
    ? []
    : "unheard" in words
      ? ["not-heard"]
      : words.faults.map(({ kind }) => flagsOfFaults[kind])

/** Returns the rewrites of a cue; undefined without any. */
const rewritesOf = (
  cue: number,
  rewritings: ReadonlyArray<LineRewriting> = [],
  language: LanguageTag | undefined
): CueReport["rewrites"] => {
  const own = rewritings.filter((line) => line.cue === cue)
  return own.length === 0 ? undefined : own.map((line) => rewriteOf(line, language))
}

const rewriteOf = (
  { text, attempts, proposal, accepted, why }: LineRewriting,
  language: LanguageTag | undefined
): CueRewrite => ({
  text,
  ...(proposal === undefined ? {} : { proposal }),
  ...(accepted === undefined ? {} : { accepted }),
  ...(why === undefined ? {} : { why }),
  attempts: attempts.map(({ limit, before, after, reply }, at) => {
    const { fault } = proposalIn(reply, { text, limit, language })
    const request = { text, limit, before, after, language, earlier: attempts.slice(0, at) }
    return {
      limit,
      prompt: promptText(promptOf(request)),
      reply,
      ...(fault === undefined ? {} : { refused: fault })
    }
  })
})

/** The flags of rewrites: a proposal waits, an unchecked proposal is spoken, or there is none. */
const flagsOfRewrites = (rewrites: CueReport["rewrites"] = []): ReadonlyArray<Flag> =>
  rewrites.flatMap(({ proposal, accepted, why }): ReadonlyArray<Flag> => [
    ...(accepted === "unseen" ? (["rewritten"] as const) : []),
    ...(proposal !== undefined && accepted === undefined ? (["proposal"] as const) : []),
    ...(why === undefined ? [] : (["not-rewritten"] as const))
  ])

/** A line's share of a placement: all of it, or from its first word to the next line's. */
interface LineShare {
  readonly start: Millis
  readonly end: Millis
  readonly said: string
  readonly placement: Placement
  /** When each of its words begins, if that is known. */
  readonly words: ReadonlyArray<Millis> | undefined
}

/** Returns the share of each line, by its name. Without the times of words, lines share in proportion to characters. */
export const lineShares = ({
  lines,
  placements,
  clips
}: {
  readonly lines: ReadonlyArray<Line>
  readonly placements: ReadonlyArray<Placement>
  readonly clips: ReadonlyMap<UtteranceKey, Clip>
}): ReadonlyMap<string, LineShare> => {
  const said = new Map(lines.map((line) => [lineName(line), line.said]))
  return new Map(
    placements.flatMap((placement) => {
      const names = placement.lines.map(lineName)
      const texts = names.map((name) => said.get(name) ?? "")
      const starts = wordStartsOf(placement, clips)
      const words = starts === undefined ? undefined : wordsByLine(texts, starts)
      const total = texts.reduce((sum, text) => sum + charactersOf(text), 0)
      const length = placement.end - placement.start
      let characters = 0
      const edges = texts.map((text, at) => {
        const share = characters / Math.max(1, total)
        characters += charactersOf(text)
        return at === 0 ? placement.start : (words?.[at]?.[0] ?? millis(placement.start + length * share))
      })
      return names.map((name, at): [string, LineShare] => [
        name,
        {
          start: edges[at] ?? placement.start,
          end: edges[at + 1] ?? placement.end,
          said: texts[at] ?? "",
          placement,
          words: words?.[at]
        }
      ])
    })
  )
}

/** Divides the words among the lines; undefined if there are more or fewer than the lines have. */
const wordsByLine = (
  texts: ReadonlyArray<string>,
  starts: ReadonlyArray<Millis>
): ReadonlyArray<ReadonlyArray<Millis>> | undefined => {
  let from = 0
  const words = texts.map((text) => starts.slice(from, (from += text.split(/\s+/u).length)))
  return from === starts.length ? words : undefined
}

/** Returns the keys of the utterances that say each line, by its name. */
const keysByLine = (uses: ReadonlyArray<UtteranceUse>): ReadonlyMap<string, ReadonlyArray<UtteranceKey>> => {
  const keys = new Map<string, Array<UtteranceKey>>()
  for (const { utterance, lines } of uses) {
    for (const line of lines.filter(({ replaced }) => replaced !== true)) {
      const name = lineName(line)
      const list = keys.get(name)
      if (list === undefined) keys.set(name, [utterance.key])
      else if (!list.includes(utterance.key)) list.push(utterance.key)
    }
  }
  return keys
}

/** Estimates how many words of a line come after the film's end, in proportion to time. */
const wordsBehind = ({ said, start, end }: LineShare, filmEnd: number): number =>
  end <= filmEnd
    ? 0
    : Math.ceil((said.split(/\s+/u).length * (end - Math.max(start, filmEnd))) / Math.max(1, end - start))

/** Returns when the words of a placement begin on the timeline; undefined if those of a part are not known. */
export const wordStartsOf = (
  { parts, start, speed }: Placement,
  clips: ReadonlyMap<UtteranceKey, Clip>
): ReadonlyArray<Millis> | undefined => {
  const starts: Array<Millis> = []
  /** Milliseconds before the part, at the recording's speed. */
  let before = 0
  for (const { utterance, segment } of parts) {
    const clip = clips.get(utterance)
    const heard = clip?.segments[segment]
    if (clip === undefined || heard?.words === undefined) return undefined
    for (const word of heard.words)
      starts.push(millis(start + (before + ((word - heard.from) * 1000) / clip.rate) / speed))
    before += ((heard.to - heard.from) * 1000) / clip.rate + pieceGap
  }
  return starts
}
