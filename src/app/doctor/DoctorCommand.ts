/** The `doctor` command: checks everything a run needs and prints how to fix each problem. */
import { Effect } from "effect"
import { type Check, ffmpegCheck, folderCheck, nodeCheck } from "./DoctorChecks.ts"
import { CommandEnded, exitCodes } from "../ExitCodes.ts"
import { Screen } from "../terminal/Screen.ts"
import { serviceChecks } from "./ServiceChecks.ts"

export interface DoctorOptions {
  readonly baseUrl: string | undefined
  readonly embedded: boolean
  readonly state: string | undefined
  readonly json: boolean
}

export const doctorCommand = Effect.fn("DoctorCommand.doctorCommand")(function* (options: DoctorOptions) {
  const screen = yield* Screen
  const checks: Array<Check> = []
  /** Prints each finding at once. */
  const found = (some: ReadonlyArray<Check>) => {
    checks.push(...some)
    return options.json ? Effect.void : Effect.forEach(some, (check) => screen.result(textOf(check)))
  }
  yield* found([nodeCheck(process.versions.node)])
  yield* found([yield* ffmpegCheck])
  yield* found([yield* folderCheck(options.state ?? ".dubwright")])
  yield* found(yield* serviceChecks(options))
  if (options.json) yield* screen.result(JSON.stringify(checks, null, 2))
  if (checks.some(({ state }) => state === "wrong")) {
    return yield* new CommandEnded({ code: exitCodes.unusable, message: "" })
  }
})

const marks = {
  well: "\u001b[32m✓\u001b[0m",
  warning: "\u001b[33m!\u001b[0m",
  wrong: "\u001b[31m✗\u001b[0m"
} as const

const textOf = ({ name, state, found, remedy }: Check): string =>
  `${marks[state]} ${name.padEnd(13)} ${found}${remedy === undefined ? "" : `\n  ${" ".repeat(13)} → ${remedy}`}`
