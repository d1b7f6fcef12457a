/** How the system shares its cores between encoders and the threads that feed them. */
import { type ChildProcess, spawn } from "node:child_process"
import { readFileSync } from "node:fs"

/**
 * Tells Linux what an encoder is that reads what is made meanwhile, of so many files, with all its threads:
 *
 * - long work that nobody waits for: it is not to interrupt what runs whenever one of its threads hands a frame to the next, which an
 *   ffmpeg of version 7 does half a million times in two hours;
 * - where it encodes one file, work for one core: there one thread does nearly all, and handing frames to a thread on another core, which
 *   sleeps, takes longer than what that one does with them. Two hours of FLAC take 4.1 s so, 5.9 s otherwise.
 *
 * Asked of `chrt` and `taskset`, which come with util-linux; where there are none, or where they may not, everything goes on as it did, a
 * little slower.
 */
export const scheduled = (encoder: ChildProcess, files: number): void => {
  const { pid } = encoder
  if (process.platform !== "linux" || pid === undefined) return
  told("chrt", ["-b", "-a", "-p", "0", `${pid}`])
  const core = files === 1 ? leastTaken(allowedCores()) : undefined
  if (core === undefined) return
  taken.set(core, takersOf(core) + 1)
  encoder.once("exit", () => taken.set(core, takersOf(core) - 1))
  told("taskset", ["-a", "-c", "-p", `${core}`, `${pid}`])
}

const told = (program: string, words: ReadonlyArray<string>): void =>
  spawn(program, words, { stdio: "ignore" })
    .on("error", () => undefined)
    .unref()

/** How many encoders have a core, by its number. */
const taken = new Map<number, number>()

const takersOf = (core: number): number => taken.get(core) ?? 0

/** The core that the fewest encoders have; undefined where there is no choice. */
const leastTaken = (cores: ReadonlyArray<number>): number | undefined =>
  cores.length < 2
    ? undefined
    : cores.reduce((least, core) => (takersOf(core) < takersOf(least) ? core : least))

/** The numbers of the cores that this process may use, and what it starts; none where that cannot be told. */
const allowedCores = (): ReadonlyArray<number> => {
  try {
    return coresIn(/^Cpus_allowed_list:\s*(.*)$/mu.exec(readFileSync("/proc/self/status", "utf8"))?.[1] ?? "")
  } catch {
    return []
  }
}

/** The numbers that a list of Linux names, such as 0-3,8. */
export const coresIn = (list: string): ReadonlyArray<number> =>
  list.split(",").flatMap((range) => {
    const [from, to = from] = range.trim().split("-").map(Number)
    return from === undefined || to === undefined || range.trim() === ""
      ? []
      : Array.from({ length: to - from + 1 }, (_, more) => from + more)
  })
