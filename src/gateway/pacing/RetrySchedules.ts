/** Backoff and retry limits of requests. */
import { Duration, Schedule } from "effect"
import type { CallFault, Fault, SlowDown } from "../GatewayErrors.ts"

/** Exponential backoff from 0.5 s to 30 s, with jitter so that clients do not retry at the same moment. */
export const backoff = Schedule.exponential("500 millis", 2).pipe(
  Schedule.union(Schedule.spaced("30 seconds")),
  Schedule.jittered
)

/** Retries faults with backoff, at most `most` times, and each no earlier than the service asks. */
export const retries = <E extends Fault>(most: number, mayRetry: (fault: E) => boolean) =>
  backoff.pipe(
    Schedule.passthrough<unknown, E, never>,
    Schedule.modifyDelay((fault, delay) => Duration.max(delay, waitAsked(fault))),
    Schedule.whileInput(mayRetry),
    Schedule.intersect(Schedule.recurs(most))
  )

/** Retry schedule of reads, which never retries a rejected request. */
export const retryPatiently = retries<CallFault>(6, (fault) => fault._tag !== "Refused")

/** Returns the wait that the service requested. */
export const waitAsked = (fault: Fault): Duration.Duration =>
  fault._tag === "SlowDown" && fault.retryAfter !== undefined
    ? Duration.millis(fault.retryAfter)
    : Duration.zero

/** Why and how long a request waits. */
export const waitText = ({ words, retryAfter }: SlowDown): string =>
  `${words}; waits ${Math.ceil((retryAfter ?? 0) / 1_000).toLocaleString("en")} s, as the service asks`
