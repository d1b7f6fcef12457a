/** Sets the scheduling class and CPU affinity of ffmpeg encoders on Linux. */
import { type ChildProcess, spawn } from "node:child_process"
import { readFileSync } from "node:fs"
import type { FfmpegJob } from "./FfmpegJob.ts"

/** Seconds of sound from which tuning saves more than its two processes cost. Ten minutes of FLAC save 150 ms. */
const shortest = 60

/**
 * Tunes how Linux schedules all threads of an encoder, unless its job is short:
 *
 * - It becomes batch work (`SCHED_BATCH`), which does not preempt other threads. ffmpeg 7 hands a frame from thread to
 *   thread half a million times in two hours of sound. Each time would otherwise preempt another thread.
 * - With a single output stream, it is pinned to one core. One thread does nearly all the work there, and waking a
 *   thread on another core costs more than that thread's share. Two hours of FLAC take 4.1 s pinned, 5.9 s otherwise.
 *
 * Uses `chrt` and `taskset` from util-linux. If they are missing or not permitted, encoding is only a little slower.
 */
export const scheduled = (
  encoder: ChildProcess,
  { encodes: streams, seconds = Infinity }: Pick<FfmpegJob, "encodes" | "seconds">
): void => {
  const { pid } = encoder
  if (process.platform !== "linux" || pid === undefined || seconds < shortest) return
  logOnce("chrt", ["-b", "-a", "-p", "0", `${pid}`])
  const core = streams === 1 ? coreFor(pid) : undefined
  if (core === undefined) return
  taken.set(core, takersOf(core) + 1)
  encoder.once("exit", () => taken.set(core, takersOf(core) - 1))
  logOnce("taskset", ["-a", "-c", "-p", `${core}`, `${pid}`])
}

const logOnce = (program: string, words: ReadonlyArray<string>): void =>
  spawn(program, words, { stdio: "ignore" })
    .on("error", () => undefined)
    .unref()

/** The number of encoders pinned to each core. */
const taken = new Map<number, number>()

const takersOf = (core: number): number => taken.get(core) ?? 0

/**
 * Picks the core with the fewest encoders; among equals, the one on which the process started, since Linux found that
 * one idle. Undefined if only one core is allowed, or `/proc` cannot be read.
 */
const coreFor = (pid: number): number | undefined => {
  try {
    const status = readFileSync("/proc/self/status", "utf8")
    const allowed = coresIn(/^Cpus_allowed_list:\s*(.*)$/mu.exec(status)?.[1] ?? "")
    const begunOn = coreIn(readFileSync(`/proc/${pid}/stat`, "utf8"))
    return allowed.length < 2
      ? undefined
      : [begunOn, ...allowed].reduce((least, core) => (takersOf(core) < takersOf(least) ? core : least))
  } catch {
    return undefined
  }
}

/**
 * Reads from `/proc/<pid>/stat` on which core a process last ran: field 39 (see proc(5)). Field 2, the name in
 * brackets, may contain anything.
 */
export const coreIn = (stat: string): number => Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[36])

/** Parses a Linux core list such as `0-3,8`. */
export const coresIn = (list: string): ReadonlyArray<number> =>
  list.split(",").flatMap((range) => {
    const [from, to = from] = range.trim().split("-").map(Number)
    return from === undefined || to === undefined || range.trim() === ""
      ? []
      : Array.from({ length: to - from + 1 }, (_, more) => from + more)
  })
