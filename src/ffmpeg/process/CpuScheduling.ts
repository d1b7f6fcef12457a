/** How the system shares its cores between encoders, and the threads that feed them. */
import { type ChildProcess, spawn } from "node:child_process"
import { readFileSync } from "node:fs"

/**
 * Tells Linux what an ffmpeg is that encodes so many streams, with all its threads:
 *
 * - long work that nobody waits for: it is not to interrupt what runs whenever one of its threads hands a frame to the
 * next, which an
 *   ffmpeg of version 7 does half a million times in two hours;
 * - where it encodes one stream, work for one core: there one thread does nearly all, and handing frames to a thread on
 * another core,
 *   which sleeps, takes longer than what that one does with them. Two hours of FLAC take 4.1 s so, 5.9 s otherwise.
 *
 * Asked of `chrt` and `taskset`, which come with util-linux; where there are none, or where they may not, everything
 * goes on as it did, a little slower.
 */
export const scheduled = (encoder: ChildProcess, streams: number): void => {
  const { pid } = encoder
  if (process.platform !== "linux" || pid === undefined) return
  told("chrt", ["-b", "-a", "-p", "0", `${pid}`])
  const core = streams === 1 ? coreFor(pid) : undefined
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

/**
 * The core on which a process was begun, which Linux found idle, unless other encoders have it: then one that the
 * fewest have. Undefined where there is no choice, or none can be told.
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
 * The core that a process was last seen on, in a `stat` of Linux: the 39th field, of which the second may hold anything
 * in brackets.
 */
export const coreIn = (stat: string): number => Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[36])

/** The numbers that a list of Linux names, such as 0-3,8. */
export const coresIn = (list: string): ReadonlyArray<number> =>
  list.split(",").flatMap((range) => {
    const [from, to = from] = range.trim().split("-").map(Number)
    return from === undefined || to === undefined || range.trim() === ""
      ? []
      : Array.from({ length: to - from + 1 }, (_, more) => from + more)
  })
