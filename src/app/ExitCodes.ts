/** How the command ends: its exit codes, and which failure leads to which. */
import { Data } from "effect"
import { Refused } from "../gateway/GatewayErrors.ts"
import { StateUnusable } from "../store/state/StateErrors.ts"

/** The exit codes that scripts and schedulers lean on. */
export const exitCodes = {
  /** Everything that was asked for is done. */
  done: 0,
  /** A fault in the program itself. */
  fault: 1,
  /** Bad usage, or input that cannot be used; nothing was sent. */
  unusable: 2,
  /** At least one job failed, or what was asked of a service was not answered. */
  failed: 3,
  /** Stopped for credits, a budget or a refused key. */
  stopped: 4,
  /** Another run holds the state folder. */
  held: 75,
  hungUp: 129,
  interrupted: 130,
  terminated: 143
} as const
export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes]

/** The codes of the signals that interrupt. */
export const interruptions = {
  SIGHUP: exitCodes.hungUp,
  SIGINT: exitCodes.interrupted,
  SIGTERM: exitCodes.terminated
} as const

/** The command's end by a code other than 0. The message, if any, is told on stderr. */
export class CommandEnded extends Data.TaggedError("Ended")<{
  readonly code: ExitCode
  readonly message: string
}> {}

/** The command line itself is wrong. */
export const badUsage = (message: string): CommandEnded =>
  new CommandEnded({ code: exitCodes.unusable, message })

/** The code of each failure that other rooms name; one that is absent here is a fault of the program. */
const codeOf: Readonly<Record<string, ExitCode>> = {
  InputRejected: exitCodes.unusable,
  ScriptRejected: exitCodes.unusable,
  NoFfmpeg: exitCodes.unusable,
  NoSqlite: exitCodes.unusable,
  ConfigError: exitCodes.unusable,
  SettingsRejected: exitCodes.unusable,
  KeyRejected: exitCodes.unusable,
  DataFolderUnusable: exitCodes.unusable,
  StateUnusable: exitCodes.unusable,
  StateBusy: exitCodes.held,
  ResultUnwritable: exitCodes.unusable,
  FleetUnusable: exitCodes.unusable,
  ConfigRejected: exitCodes.unusable,
  CatalogueRejected: exitCodes.unusable,
  ListenFailed: exitCodes.unusable,
  Refused: exitCodes.failed,
  SlowDown: exitCodes.failed,
  Unreachable: exitCodes.failed,
  InvalidResponse: exitCodes.failed
}

/** What a failure of any room means to whoever started the command. */
export const exitCodeFor = (failure: unknown): CommandEnded => {
  if (failure instanceof CommandEnded) return failure
  const tag =
    typeof failure === "object" && failure !== null && "_tag" in failure ? String(failure._tag) : "Error"
  const message = failure instanceof Error && failure.message !== "" ? failure.message : String(failure)
  const code = stops(failure)
    ? exitCodes.stopped
    : gaveWay(failure)
      ? exitCodes.failed
      : (codeOf[tag] ?? exitCodes.fault)
  return new CommandEnded({ code, message })
}

/** Whether the disk gave way under a run, which then is no bad usage: much may have been sent and done by then. */
const gaveWay = (failure: unknown): boolean => failure instanceof StateUnusable && failure.reason === "full"

/** Whether a service refused the account rather than the request. */
const stops = (failure: unknown): boolean =>
  failure instanceof Refused && (failure.reason === "key" || failure.reason === "credits")
