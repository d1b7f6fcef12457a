/** `verify --profile`: judges audio and video files by a delivery profile. */
import { Effect, Either } from "effect"
import { rulesFailed, type RuleVerdict } from "../../domain/report/DeliveryRules.ts"
import { Ffmpeg } from "../../ffmpeg/Ffmpeg.ts"
import { ffmpegFromEnvironment } from "../../library/layers/FfmpegLayers.ts"
import { rejectInput } from "../../pipeline/load/InputRejected.ts"
import { readProfile } from "../../pipeline/load/ProfileFile.ts"
import { judgeFile } from "../../pipeline/report/FileJudgement.ts"
import { badUsage, CommandEnded, exitCodes } from "../ExitCodes.ts"
import { Screen } from "../terminal/Screen.ts"
import { type Look, textTable } from "../terminal/TextTable.ts"

/** Prints a table of verdicts for each file; exits with code 3 if a rule is not met or a file cannot be read. */
export const checkDelivery = (options: {
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
        ? JSON.stringify({ profile: name, files: files.map(asJson) }, null, 2)
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

const asJson = ({ file, judged }: JudgedFile) =>
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
