/** Decides which lines of a job are sent to its rewriter, and judges the replies for lines that were sent. */
import { type CueOverride, overrideName } from "../../domain/manifest/CueOverride.ts"
import type { Line } from "../../domain/speech/Line.ts"
import type { LineRewriting, RewriteAttempt } from "../../domain/speech/Rewriting.ts"
import { lineName } from "../../domain/speech/Utterance.ts"
import { readsAsInstruction } from "../../script/rewritten/Injection.ts"
import { proposalIn } from "../../script/rewritten/Proposal.ts"
import type { RewriteRequest } from "../../script/rewritten/RewritePrompt.ts"
import type { StoredRewriting } from "../../store/tables/Rewritings.ts"
import type { LongLine } from "../place/LongLines.ts"
import type { JobPlan } from "../plan/BatchPlan.ts"

/** The attempts of earlier runs, by the name of the line in the overrides file. */
export type KnownRewritings = ReadonlyMap<string, StoredRewriting>

/** A line that was sent to a rewriter, or would be. */
export interface RewrittenLine {
  /** Its name in the overrides file. */
  readonly name: string
  /** Its position among the job's lines. */
  readonly at: number
  /** The most characters that fit; absent if it fits. */
  readonly limit: number | undefined
  readonly rewriting: LineRewriting
  /** What to send next; undefined if nothing is to be sent. */
  readonly request: RewriteRequest | undefined
}

/** Maximum requests for one line, over all runs. */
const maxAttempts = 3

/** The parts of a plan that determine a rewriter's requests. */
export type Rewritable = Pick<JobPlan, "lines"> & {
  readonly job: Pick<JobPlan["job"], "language" | "overrides">
}

/**
 * Returns the lines that a rewriter shortens or has shortened, in script order. `long` are the lines that do not fit,
 * `known` the attempts of the job's present rewriter.
 */
export const rewrittenLines = (
  plan: Rewritable,
  long: ReadonlyArray<LongLine>,
  known: KnownRewritings
): ReadonlyArray<RewrittenLine> => {
  const limits = new Map(long.map(({ line, limit }) => [lineName(line), limit]))
  return plan.lines.flatMap(
    (line, at) => rewrittenLine(plan, at, limits.get(lineName(line)), known.get(overrideName(line))) ?? []
  )
}

/** Judges one line, by its position; `limit` is absent for a line that fits. Undefined if it needs no rewriter. */
export const rewrittenLine = (
  plan: Rewritable,
  at: number,
  limit: number | undefined,
  known: StoredRewriting | undefined
): RewrittenLine | undefined => {
  const line = plan.lines[at]
  if (line === undefined) return undefined
  const { language, overrides } = plan.job
  const name = overrideName(line)
  const stored = storedFor(line, known, language)
  const accepted = acceptedIn(line, overrides?.[name], stored)
  const { text = line.said, attempts = [] } = stored ?? {}
  const own = accepted === undefined ? {} : { proposal: line.said, accepted }
  const judged = (made: Partial<LineRewriting>, request?: RewriteRequest): RewrittenLine => ({
    name,
    at,
    limit,
    rewriting: { cue: line.cue, part: line.part, text, attempts, ...own, ...made },
    request
  })
  if (limit === undefined) return accepted === undefined ? undefined : judged({})
  const proposal = bestOf(attempts, { text, limit, language }, line.said)
  // A shorter proposal replaces one that is spoken and too long.
  if (proposal !== undefined)
    return { ...judged({}), rewriting: { cue: line.cue, part: line.part, text, attempts, proposal } }
  if (readsAsInstruction(text)) return judged({ why: notSent })
  if (attempts.length >= maxAttempts) return judged({ why: allRefused(attempts.length) })
  const before = neighbour(plan.lines[at - 1])
  const after = neighbour(plan.lines[at + 1])
  return judged({ why: notAsked }, { text, limit, before, after, language, earlier: attempts })
}

const notSent = "it reads like an instruction to a language model, so it was not sent; shorten it by hand"
const notAsked = "it has not been sent yet"
const allRefused = (count: number): string => `${count} replies were refused; shorten it by hand`

/** The attempts that are about the line's words: as they were sent, or as a reply changed them. */
const storedFor = (
  { said }: Line,
  stored: StoredRewriting | undefined,
  language: Rewritable["job"]["language"]
): StoredRewriting | undefined =>
  stored !== undefined && (stored.text === said || isReply(said, stored, language)) ? stored : undefined

const isReply = (
  said: string,
  { text, attempts }: StoredRewriting,
  language: Rewritable["job"]["language"]
): boolean =>
  attempts.some(({ reply, limit }) => {
    const proposal = proposalIn(reply, { text, limit, language })
    return proposal.fault === undefined && proposal.text === said
  })

/** Whether the line says a proposal: as the overrides file says, or as a person has accepted it. */
const acceptedIn = (
  { said }: Line,
  override: CueOverride | undefined,
  stored: StoredRewriting | undefined
): LineRewriting["accepted"] =>
  override?.say !== said
    ? undefined
    : override.rewritten === true
      ? "unseen"
      : stored !== undefined && stored.text !== said
        ? "seen"
        : undefined

/** The longest reply that fits: it keeps the most of the line. */
const bestOf = (
  attempts: ReadonlyArray<RewriteAttempt>,
  line: Pick<RewriteRequest, "text" | "limit" | "language">,
  said: string
): string | undefined =>
  attempts
    .map(({ reply }) => proposalIn(reply, line))
    .filter(({ fault, text }) => fault === undefined && text !== said)
    .map(({ text }) => text)
    .sort((a, b) => b.length - a.length)[0]

/** The words of a neighbouring line; empty if they might be taken for an instruction. */
const neighbour = (line: Line | undefined): string =>
  line === undefined || readsAsInstruction(line.said) ? "" : line.said
