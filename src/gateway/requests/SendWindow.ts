/**
 * Limits when a create may leave this machine. Whoever finds an announced create that was never answered assumes that
 * it left soon after its announcement. A process that was stopped in between, or that waited long for a connection,
 * must not send it any more.
 */
import { Duration, Effect } from "effect"

/** Returns whether a request may still be sent. */
export type MaySend = () => boolean

/**
 * How long after its announcement a create may be sent, in milliseconds. A third of the time after which
 * `pipeline/speak/LostTaskRecovery.ts` trusts a history without the task, so that it has 20 s to arrive.
 */
const sendWindow = Duration.toMillis("10 seconds")

/**
 * Opens the window now. It closes by the steady clock, which a set clock does not change, or by the wall clock, which
 * counts the time in which the machine was suspended.
 */
export const openSendWindow: Effect.Effect<MaySend> = Effect.map(Effect.clock, (clock) => {
  const wall = clock.unsafeCurrentTimeMillis()
  const steady = clock.unsafeCurrentTimeNanos()
  return () =>
    clock.unsafeCurrentTimeMillis() - wall < sendWindow &&
    Number(clock.unsafeCurrentTimeNanos() - steady) < sendWindow * 1e6
})
