/** Checks a list that comes back from a translator, and turns its new texts into overrides. */
import { Array, Either } from "effect"
import { type CueOverrides, overrideName } from "../../domain/manifest/CueOverride.ts"
import { charactersOf, lineName } from "../../domain/speech/Utterance.ts"
import type { JobId } from "../../domain/values/Ids.ts"
import { isPronounceable } from "../../script/language/WritingSystems.ts"
import type { LongLine } from "../place/LongLines.ts"
import { textsOf } from "../plan/JobScript.ts"
import type { ListedJob } from "./LineList.ts"
import type { ListedLine } from "./LineListFile.ts"

/** A fault of a list: its row, and a description. */
export interface ListFault {
  readonly line: number
  readonly message: string
}

/** The overrides that a list adds, by job. */
export type LineChanges = ReadonlyMap<JobId, CueOverrides>

/** The effect of a row: an override, or nothing if its line has the new text already. */
interface RowChange {
  readonly id: JobId
  readonly name: string
  readonly change: CueOverrides[string] | undefined
}

/** Checks all rows with a new text. Left: every fault. `allowLong`: texts that are still too long are accepted. */
export const lineChanges = (
  listed: ReadonlyArray<ListedLine>,
  jobs: ReadonlyArray<ListedJob>,
  allowLong: boolean
): Either.Either<LineChanges, Array.NonEmptyReadonlyArray<ListFault>> => {
  const faults: Array<ListFault> = []
  const changes = new Map<JobId, Record<string, CueOverrides[string]>>()
  const rows = new Map<string, number>()
  for (const row of listed) {
    if (row["new text"] === "") continue
    const found = Either.flatMap(lineOf(row, jobs), (line) => changeOf(row, line, allowLong))
    if (Either.isLeft(found)) {
      faults.push({ line: row.row, message: found.left })
      continue
    }
    const { id, name, change } = found.right
    const before = rows.get(`${id} ${name}`)
    if (before !== undefined)
      faults.push({
        line: row.row,
        message: `cue ${name} of job ${id} has a new text in row ${before} too; keep one of the two`
      })
    rows.set(`${id} ${name}`, row.row)
    if (change === undefined) continue
    const own = changes.get(id) ?? {}
    changes.set(id, { ...own, [name]: change })
  }
  return Array.isNonEmptyArray(faults) ? Either.left(faults) : Either.right(changes)
}

const lineOf = (
  row: ListedLine,
  jobs: ReadonlyArray<ListedJob>
): Either.Either<ListedJob & Pick<LongLine, "line">, string> => {
  const job = jobNamed(row.job, jobs)
  if (job === undefined)
    return Either.left(
      `there is no job "${row.job}" in this manifest; import the list with the manifest that export-lines used`
    )
  const line = job.plan.lines.find(({ cue, part }) => `${cue}` === row.cue && `${part + 1}` === row.part)
  return line === undefined
    ? Either.left(
        `job ${job.plan.job.id} speaks no line ${row.part || "1"} in cue "${row.cue}"; export the list again`
      )
    : Either.right({ ...job, line })
}

/** The job of this name. Spreadsheets may take an id such as 007 for a number, and save it as 7. */
const jobNamed = (name: string, jobs: ReadonlyArray<ListedJob>): ListedJob | undefined => {
  const exact = jobs.find(({ plan }) => plan.job.id === name)
  if (exact !== undefined || !/^\d+$/u.test(name)) return exact
  const alike = jobs.filter(({ plan }) => /^\d+$/u.test(plan.job.id) && BigInt(plan.job.id) === BigInt(name))
  return alike.length === 1 ? alike[0] : undefined
}

const changeOf = (
  row: ListedLine,
  { plan, long, line }: ListedJob & Pick<LongLine, "line">,
  allowLong: boolean
): Either.Either<RowChange, string> => {
  const { id, overrides = {} } = plan.job
  const name = overrideName(line)
  const source = textsOf(plan.script)(line.cue) ?? ""
  const say = plainText(row["new text"])
  const limit = long.find((one) => lineName(one.line) === lineName(line))?.limit
  const length = charactersOf(say)
  const refused = (message: string): Either.Either<never, string> => Either.left(`cue ${name}: ${message}`)
  if (plainText(row.source) !== plainText(source))
    return refused("its text in the subtitle has changed since the list was written; export the list again")
  if (say === plainText(line.said)) return Either.right({ id, name, change: undefined })
  if (plainText(row.text) !== plainText(line.said))
    return refused("its spoken words have changed since the list was written; export the list again")
  const control = say.search(/\p{Cc}/u)
  if (control >= 0) {
    const code = say.charCodeAt(control).toString(16).toUpperCase().padStart(4, "0")
    return refused(`the new text contains the control character U+${code}; type it again`)
  }
  if (/^\d{4}-\d\d-\d\dT[\d:.]+Z$/u.test(say))
    return refused("the new text became a date; format the cell as text and type it again")
  if (!isPronounceable(say)) return refused(`the new text "${say}" has no letters or digits to speak`)
  if (!allowLong && limit !== undefined && length > limit)
    return refused(
      `the new text has ${length} characters, ${length - limit} too many; at most ${limit} fit (--long accepts it)`
    )
  // A person has read the text, so it is no longer an unseen proposal.
  const { rewritten: _, ...before } = overrides[name] ?? {}
  return Either.right({ id, name, change: { ...before, was: source, say } })
}

/** A text with single spaces in Unicode's composed form. */
const plainText = (text: string): string => text.normalize("NFC").replaceAll(/\s+/gu, " ").trim()
