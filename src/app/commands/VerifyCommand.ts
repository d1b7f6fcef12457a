/** The `verify` command: compares the delivered audio with the reports, or judges files by a delivery profile. */
import { Effect, Either } from "effect"
import {
  hasWrongWords,
  isVerified,
  type Verification,
  type VerifiedCue,
  verifyBatch
} from "../../pipeline/report/DeliveryVerification.ts"
import { type BatchOptions, loadBatchInput } from "../batch/BatchInput.ts"
import { checkDelivery } from "./DeliveryCheck.ts"
import { ffmpegFromEnvironment } from "../../library/layers/FfmpegLayers.ts"
import { badUsage, CommandEnded, exitCodes } from "../ExitCodes.ts"
import { Screen } from "../terminal/Screen.ts"
import { type Look, textTable } from "../terminal/TextTable.ts"

export const verifyCommand = (
  options: BatchOptions & { readonly profile: string | undefined; readonly film: string | undefined }
) =>
  options.profile === undefined
    ? options.film === undefined
      ? verifyReports(options)
      : badUsage("--film needs --profile NAME; add it, or leave --film out")
    : checkDelivery({ ...options, profile: options.profile })

const verifyReports = (options: BatchOptions) =>
  Effect.gen(function* () {
    const screen = yield* Screen
    const batch = yield* loadBatchInput(options)
    const jobs = (yield* verifyBatch(batch)).map(({ id, heard }) => ({
      id,
      heard: Either.mapLeft(heard, ({ message }) => message)
    }))
    yield* screen.result(
      options.json
        ? JSON.stringify({ jobs: jobs.map(asJson) }, null, 2)
        : jobs.length === 0
          ? "Nothing to verify: no job has an audio output."
          : [...overview(jobs, screen.look), ...jobs.flatMap(details(options.verbose, screen.look))].join(
              "\n"
            )
    )
    const amiss = jobs.filter(
      ({ heard }) => Either.isLeft(heard) || !isVerified(heard.right) || heard.right.wrongWords > 0
    )
    if (amiss.length > 0)
      return yield* new CommandEnded({
        code: exitCodes.failed,
        message: `audio does not match the report: ${amiss.map(({ id }) => id).join(", ")}`
      })
  }).pipe(Effect.provide(ffmpegFromEnvironment))

interface Heard {
  readonly id: string
  readonly heard: Either.Either<Verification, string>
}

const asJson = ({ id, heard }: Heard) =>
  Either.match(heard, { onLeft: (error) => ({ id, error }), onRight: (all) => all })

/** A table with a row per verified job; empty if no job could be verified. */
const overview = (jobs: ReadonlyArray<Heard>, look: Look): ReadonlyArray<string> => {
  const rows = jobs.flatMap(({ id, heard }) =>
    Either.match(heard, {
      onLeft: () => [],
      onRight: ({ cues, missing, off, wrongWords, onsetError, drift, lengthError }) => [
        [
          id,
          `${cues.length - missing} of ${cues.length}`,
          missing,
          off,
          cues.some(({ words }) => words !== undefined) ? wrongWords : undefined,
          // No onset could be separated from other sound, for example under continuous music.
          ...(cues.some(({ error }) => error !== undefined)
            ? [onsetError.p50, onsetError.p95, onsetError.max, drift].map(milliseconds)
            : ["unknown", undefined, undefined, undefined]),
          milliseconds(lengthError)
        ]
      ]
    })
  )
  return rows.length === 0
    ? []
    : [
        textTable(
          [
            "job",
            "cues heard",
            "missing",
            "off",
            "wrong words",
            "onset error p50",
            "p95",
            "max",
            "drift per hour",
            "length error"
          ],
          rows,
          look
        )
      ]
}

/** A table of missing and misplaced cues, or of all cues. */
const details =
  (all: boolean, look: Look) =>
  ({ id, heard }: Heard): ReadonlyArray<string> => {
    if (Either.isLeft(heard)) return [heard.left]
    const notes = heard.right.note === undefined ? [] : [`${id}: ${heard.right.note}`]
    const cues = heard.right.cues.filter(
      (cue) => all || cue.verdict === "missing" || cue.verdict === "off" || hasWrongWords(cue)
    )
    if (cues.length === 0) return notes
    const listened = cues.some(({ words }) => words !== undefined)
    const rows = cues.map((cue) => [
      cue.index,
      cue.verdict,
      cue.expected.toFixed(3),
      cue.heard?.toFixed(3),
      cue.error === undefined ? undefined : milliseconds(cue.error),
      ...(listened ? [faultsText(cue)] : [])
    ])
    return [
      ...notes,
      "",
      `${id}: ${heard.right.file}`,
      textTable(["cue", "verdict", "expected", "heard", "error", ...(listened ? ["words"] : [])], rows, look)
    ]
  }

/** The faults in a cue's words: "missing: old". */
const faultsText = ({ words }: VerifiedCue): string =>
  words === undefined
    ? ""
    : "unheard" in words
      ? "not heard"
      : words.faults.map((fault) => `${fault.kind}: ${fault.words}`).join("; ") || "as requested"

const milliseconds = (value: number): string => `${Math.round(value)} ms`
