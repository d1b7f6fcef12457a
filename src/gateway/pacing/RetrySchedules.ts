/** Backoff and retry limits of requests. */
import { Duration, Schedule } from "effect"
import type { CallFault, SlowDown } from "../GatewayErrors.ts"

/** Exponential backoff from 0.5 s to 30 s, with jitter so that clients do not retry at the same moment. */
export const backoff = Schedule.exponential("500 millis", 2).pipe(
  Schedule.union(Schedule.spaced("30 seconds")),
  Schedule.jittered
)

/** Maximum retries of a read. */
const maxRetries = 6

/** Retry schedule of reads: honours Retry-After, and never retries a rejected request. */
export const retryPatiently: Schedule.Schedule<CallFault, CallFault> = backoff.pipe(
  Schedule.passthrough<Duration.Duration | [Duration.Duration, number] | unknown, CallFault, never>,
  Schedule.modifyDelay((fault, delay) => Duration.max(delay, waitAsked(fault))),
  Schedule.whileInput((fault) => fault._tag !== "Refused"),
  Schedule.intersect(Schedule.recurs(maxRetries)),
  Schedule.map(([fault]) => fault)
)

/** Returns the wait that the service requested. */
export const waitAsked = (fault: CallFault): Duration.Duration =>
  fault._tag === "SlowDown" && fault.retryAfter !== undefined
    ? Duration.millis(fault.retryAfter)
    : Duration.zero

/** Why and how long a request waits. */
export const waitText = ({ words, retryAfter }: SlowDown): string =>
  `${words}; waits ${Math.ceil((retryAfter ?? 0) / 1_000).toLocaleString("en")} s, as the service asks`
