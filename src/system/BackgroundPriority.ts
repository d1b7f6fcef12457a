/** The priority of work that gives way to other work of this computer. */
import { constants, getPriority, setPriority } from "node:os"
import { Context } from "effect"

/**
 * Whether engines and encoders give way to the thread that starts them. A service does so: its responses are short, and
 * clients wait for them. A run does not, since it waits for the speech itself.
 */
export class GivesWay extends Context.Reference<GivesWay>()("system/GivesWay", {
  defaultValue: () => false
}) {}

/**
 * Lowers the priority of a process, or of the thread that calls this, and of all that it starts, by a nice value of 10:
 * of a busy core, it gets a tenth of the time of a usual thread. Elsewhere than on Linux, threads have no priority of
 * their own, and nothing changes.
 */
export const giveWay = (processId = 0): void => {
  if (process.platform !== "linux") return
  const { PRIORITY_LOW, PRIORITY_BELOW_NORMAL } = constants.priority
  setPriority(processId, Math.min(PRIORITY_LOW, getPriority() + PRIORITY_BELOW_NORMAL))
}
