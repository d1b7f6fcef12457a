/** Exit codes of the command, and the mapping from failures to exit codes. */
import { Data, Record } from "effect"
import { Refused } from "../gateway/GatewayErrors.ts"
import { VoicesUnlisted } from "../pipeline/load/VoicesUnlisted.ts"
import { StateUnusable } from "../store/state/StateErrors.ts"

/** Exit codes, which scripts and schedulers use, with their meanings for the manual. */
export const exitMeanings = {
  done: [0, "every job is delivered"],
  fault: [1, "internal error (please report it)"],
  unusable: [2, "bad usage, or an unusable manifest or input; nothing was sent"],
  failed: [
    3,
    "a job failed (others are delivered), a check failed, a service did not respond, or a disk, the state folder or a fleet's Redis failed during the run"
  ],
  stopped: [4, "out of credits, budget or deadline reached, or key rejected; run again to continue"],
  held: [75, "another run is using the state folder"],
  hungUp: [129, "the terminal was closed; state is saved, run again to continue"],
  interrupted: [130, "interrupted; state is saved, run again to continue"],
  terminated: [143, "terminated; state is saved, run again to continue"]
} as const

export const exitCodes = Record.map(exitMeanings, ([code]) => code)
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
