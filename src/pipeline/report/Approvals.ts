/** Approvals of cues and jobs: digests of the approved content, and whether it has changed since. */
import { createHash } from "node:crypto"
import { Record } from "effect"
import type { Approval, JobApprovals } from "../../domain/manifest/ReviewDecisions.ts"
import type { CueReport, JobReport } from "../../domain/report/Report.ts"
import type { Line } from "../../domain/speech/Line.ts"
import type { ShownApproval, ShownApprovals } from "../../pages/data/ReviewProtocol.ts"

/** Returns a digest of the words, voices and times of a cue's lines; undefined if it has none. */
export const linesDigest = (lines: ReadonlyArray<Line>): string | undefined =>
  lines.length === 0
    ? undefined
    : digestOf(
        lines.map(({ said, speaker, casting, slot }) => [
          said,
          speaker ?? null,
          Object.entries(casting).sort(([a], [b]) => (a < b ? -1 : 1)),
          slot === undefined ? null : [slot.start, slot.end]
        ])
      )

/** Returns the digest to which an approval of a cue refers. Reports of earlier versions have no digest. */
export const cueDigest = ({ digest, said, utterance, text }: CueReport): string =>
  digest ?? digestOf([said ?? text, utterance ?? null])

/** Returns the digest to which an approval of a job refers. */
export const jobDigest = ({ cues }: Pick<JobReport, "cues">): string => digestOf(cues.map(cueDigest))

/** Compares a job's approvals with its report. */
export const shownApprovals = (
  report: Pick<JobReport, "cues">,
  { job, cues = {} }: JobApprovals = {}
): ShownApprovals => {
  const digests = new Map(report.cues.map((cue) => [`${cue.index}`, cueDigest(cue)]))
  return {
    ...(job === undefined ? {} : { job: shown(job, jobDigest(report)) }),
    cues: Record.map(cues, (approval, cue) => shown(approval, digests.get(cue)))
  }
}

const shown = ({ by, at, of }: Approval, now: string | undefined): ShownApproval => ({
  by,
  at,
  ...(of === now ? {} : { isStale: true as const })
})

const digestOf = (parts: ReadonlyArray<unknown>): string =>
  createHash("sha256").update(JSON.stringify(parts)).digest().toString("hex", 0, 8)
