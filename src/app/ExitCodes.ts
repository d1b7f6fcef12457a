/** Exit codes of the command, and the mapping from failures to exit codes. */
import { Data } from "effect"
import { Refused } from "../gateway/GatewayErrors.ts"
import { VoicesUnlisted } from "../pipeline/load/VoicesUnlisted.ts"
import { StateUnusable } from "../store/state/StateErrors.ts"

/** Exit codes, which scripts and schedulers use. */
export const exitCodes = {
  /** Success. */
  done: 0,
  /** Internal error. */
  fault: 1,
  /** Bad usage or unusable input; nothing was sent. */
  unusable: 2,
  /** At least one job failed, a service did not respond, or the state folder failed during a run. */
  failed: 3,
  /** Stopped: out of credits, budget or deadline reached, or key rejected. */
  stopped: 4,
  /** Another run holds the state folder. */
  held: 75,
  hungUp: 129,
  interrupted: 130,
  terminated: 143
} as const
export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes]

/** Exit codes by signal. */
export const interruptions = {
  SIGHUP: exitCodes.hungUp,
  SIGINT: exitCodes.interrupted,
  SIGTERM: exitCodes.terminated
} as const

/** Ends the command with a code other than 0. The message, if any, is printed on stderr. */
export class CommandEnded extends Data.TaggedError("Ended")<{
  readonly code: ExitCode
  readonly message: string
}> {}

/** Ends the command with code 2. */
export const badUsage = (message: string): CommandEnded =>
  new CommandEnded({ code: exitCodes.unusable, message })

/** Failures, by their `_tag`, that end a command with these codes; any other is an internal error. */
const unusable = new Set(
  (
    "InputRejected ScriptRejected NoFfmpeg NoSqlite ConfigError ServiceUnusable SettingsRejected KeyRejected " +
    "DataFolderUnusable StateUnusable ResultUnwritable FleetUnusable ConfigRejected CatalogueRejected ListenFailed"
  ).split(" ")
)
const failed = new Set("Refused SlowDown Unreachable ServiceAbsent InvalidResponse".split(" "))

const codeOf = (tag: string): ExitCode => {
  if (tag === "StateBusy") return exitCodes.held
  return unusable.has(tag) ? exitCodes.unusable : failed.has(tag) ? exitCodes.failed : exitCodes.fault
}

/** Returns the exit code and message for a failure from any room. */
export const exitCodeFor = (failure: unknown): CommandEnded => {
  if (failure instanceof CommandEnded) return failure
  if (failure instanceof VoicesUnlisted)
    return new CommandEnded({ code: exitCodeFor(failure.cause).code, message: failure.message })
  const tag =
    typeof failure === "object" && failure !== null && "_tag" in failure ? String(failure._tag) : "Error"
  const message = failure instanceof Error && failure.message !== "" ? failure.message : String(failure)
  const code = stops(failure) ? exitCodes.stopped : gaveWay(failure) ? exitCodes.failed : codeOf(tag)
  return new CommandEnded({ code, message })
}

/** Whether the state folder failed during a run: requests may have been sent, so this is not bad usage. */
const gaveWay = (failure: unknown): boolean =>
  failure instanceof StateUnusable && (failure.reason === "full" || failure.hasBegun === true)

/** Whether the service rejected the account (key or credits) rather than the request. */
const stops = (failure: unknown): boolean =>
  failure instanceof Refused && (failure.reason === "key" || failure.reason === "credits")
