/** Reports a rewriter's replies about a cue's lines, with the prompts as sent. */
import type { CueReport, CueRewrite } from "../../domain/report/Report.ts"
import type { Flag } from "../../domain/speech/Placement.ts"
import type { LineRewriting } from "../../domain/speech/Rewriting.ts"
import type { LanguageTag } from "../../domain/values/Ids.ts"
import { proposalIn } from "../../script/rewritten/Proposal.ts"
import { promptOf, promptText } from "../../script/rewritten/RewritePrompt.ts"

/** Returns the rewrites of a cue; undefined without any. */
export const rewritesOf = (
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
export const flagsOfRewrites = (rewrites: CueReport["rewrites"] = []): ReadonlyArray<Flag> =>
  rewrites.flatMap(({ proposal, accepted, why }): ReadonlyArray<Flag> => [
    ...(accepted === "unseen" ? (["rewritten"] as const) : []),
    ...(proposal !== undefined && accepted === undefined ? (["proposal"] as const) : []),
    ...(why === undefined ? [] : (["not-rewritten"] as const))
  ])
