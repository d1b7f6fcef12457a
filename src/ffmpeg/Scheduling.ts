/** How the system shares its cores between an encoder and the threads that feed it. */
import { spawn } from "node:child_process"

/**
 * Tells Linux that a process, with all its threads, is long work that nobody waits for: it is not to interrupt what runs whenever
 * one of its threads hands a frame to the next, which an ffmpeg of version 7 does half a million times in two hours. Asked of `chrt`,
 * which comes with util-linux; where there is none, or where it may not, everything goes on as it did, a little slower.
 */
export const asBatch = (pid: number): void => {
  if (process.platform !== "linux") return
  spawn("chrt", ["-b", "-a", "-p", "0", `${pid}`], { stdio: "ignore" })
    .on("error", () => undefined)
    .unref()
}
