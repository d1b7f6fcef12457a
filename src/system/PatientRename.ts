/** Renames a finished file into place, also on Windows, which does not replace a file that another program has open. */
import { rename } from "node:fs/promises"
import { setTimeout as pause } from "node:timers/promises"

/** Error codes of Windows for a target that a player, an indexer or a virus scanner has open. */
const held = new Set(["EPERM", "EACCES", "EBUSY"])

/** Pauses between the attempts, in milliseconds: 1.3 s together, longer than a scanner holds a new file. */
const pauses = [10, 20, 40, 80, 160, 320, 640]

/** The functions of the system that a rename uses. */
interface RenameSystem {
  readonly platform: NodeJS.Platform
  readonly move: (from: string, to: string) => Promise<void>
  readonly wait: (milliseconds: number) => Promise<unknown>
}

const own: RenameSystem = { platform: process.platform, move: rename, wait: pause }

/** Renames a file. On Windows, retries while the target is open elsewhere; other systems replace it at once. */
export const renamePatiently = async (
  from: string,
  to: string,
  system: RenameSystem = own
): Promise<void> => {
  for (const milliseconds of system.platform === "win32" ? pauses : []) {
    try {
      return await system.move(from, to)
    } catch (cause) {
      if (!(cause instanceof Error && "code" in cause && held.has(String(cause.code)))) throw cause
      await system.wait(milliseconds)
    }
  }
  return system.move(from, to)
}
