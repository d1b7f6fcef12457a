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
import { ffmpegFromEnvironment } from "../../library/layers/FfmpegLayers.ts"
import { badUsage, CommandEnded, exitCodes } from "../ExitCodes.ts"
import { Screen } from "../terminal/Screen.ts"
import { type Look, textTable } from "../terminal/TextTable.ts"
import { rulesFailed, type RuleVerdict } from "../../domain/report/DeliveryRules.ts"
import { Ffmpeg } from "../../ffmpeg/Ffmpeg.ts"
import { rejectInput } from "../../pipeline/load/InputRejected.ts"
import { readProfile } from "../../pipeline/load/ProfileFile.ts"
import { judgeFile } from "../../pipeline/report/FileJudgement.ts"

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

const columns =
  "job,cues heard,missing,off,wrong words,onset error p50,p95,max,drift per hour,length error".split(",")

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
  return rows.length === 0 ? [] : [textTable(columns, rows, look)]
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

// `verify --profile`: judges audio and video files by a delivery profile.

/** Prints a table of verdicts for each file; exits with code 3 if a rule is not met or a file cannot be read. */
const checkDelivery = (options: {
  readonly inputs: ReadonlyArray<string>
  readonly profile: string
  readonly film?: string | undefined
  readonly json?: boolean | undefined
}) =>
  Effect.gen(function* () {
    const screen = yield* Screen
    const { name, profile } = yield* readProfile(options.profile, "", (problem) =>
      rejectInput("--profile", problem)
    ).pipe(Effect.catchTag("InputRejected", ({ message }) => badUsage(message)))
    const film = options.film === undefined ? undefined : yield* lengthOfFilm(options.film)
    const files = yield* Effect.forEach(options.inputs, (file) =>
      judgeFile(file, profile, film).pipe(
        Effect.mapError(({ message }) => message),
        Effect.either,
        Effect.map((judged) => ({ file, judged }))
      )
    )
    yield* screen.result(
      options.json
        ? JSON.stringify({ profile: name, files: files.map(verdictJson) }, null, 2)
        : files.map((file) => fileText(file, name, screen.look)).join("\n\n")
    )
    const amiss = files.flatMap(({ file, judged }) =>
      Either.match(judged, {
        onLeft: () => [`${file} (cannot be judged)`],
        onRight: (rules) => (isMet(rules) ? [] : [`${file} (${rulesFailed(rules).join(", ")})`])
      })
    )
    if (amiss.length > 0)
      return yield* new CommandEnded({
        code: exitCodes.failed,
        message: `does not meet ${name}: ${amiss.join(", ")}`
      })
  }).pipe(Effect.provide(ffmpegFromEnvironment))

/** The length of a film's picture in microseconds. */
const lengthOfFilm = Effect.fnUntraced(function* (path: string) {
  const ffmpeg = yield* Ffmpeg
  const { picture } = yield* ffmpeg
    .probe(path)
    .pipe(Effect.catchAll(({ message }) => badUsage(`--film: ${message}`)))
  return picture?.duration ?? (yield* badUsage(`--film: ${path} has no picture; pass a video file`))
})

/** A file's verdicts, or why it cannot be judged. */
interface JudgedFile {
  readonly file: string
  readonly judged: Either.Either<ReadonlyArray<RuleVerdict>, string>
}

const isMet = (rules: ReadonlyArray<RuleVerdict>): boolean => rulesFailed(rules).length === 0

const verdictJson = ({ file, judged }: JudgedFile) =>
  Either.match(judged, {
    onLeft: (error) => ({ file, error }),
    onRight: (rules) => ({ file, verdict: isMet(rules) ? "pass" : "fail", rules })
  })

const fileText = ({ file, judged }: JudgedFile, profile: string, look: Look): string =>
  Either.match(judged, {
    onLeft: (error) => error,
    onRight: (rules) =>
      [
        `${file}: ${isMet(rules) ? "meets" : "does not meet"} ${profile}`,
        textTable(
          ["rule", "required", "found", "verdict"],
          rules.map(({ rule, required, found, verdict }) => [rule, required, found, verdict]),
          look
        ),
        ...rules.flatMap(({ rule, note }) => (note === undefined ? [] : [`${rule}: ${note}`]))
      ].join("\n")
  })
