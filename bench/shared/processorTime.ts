/** CPU time of a process and its child processes. Unlike elapsed time, it is meaningful on a busy machine. */
import { readFileSync } from "node:fs"

/** Returns the CPU seconds of this process and of its ended child processes (Linux only). */
export const processorSeconds = (): number => {
  const { user, system } = process.cpuUsage()
  let children = 0
  try {
    const fields = readFileSync("/proc/self/stat", "utf8")
      .replace(/^.*\) /u, "")
      .split(" ")
    // In hundredths of a second.
    children = (Number(fields[13]) + Number(fields[14])) / 100
  } catch {
    // Not Linux: the children's CPU time is unknown.
  }
  return (user + system) / 1e6 + children
}
