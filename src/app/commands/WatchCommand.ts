/** The `watch` command: runs a batch whenever files have arrived in its folders, one run at a time. */
import { stat } from "node:fs/promises"
import { resolve } from "node:path"
import { Clock, Effect } from "effect"
import { loadSource } from "../../library/BatchLoading.ts"
import { overridesPath } from "../../pipeline/load/BatchId.ts"
import { filesOf, type Job } from "../../pipeline/load/Job.ts"
import { InputRejected } from "../../pipeline/load/InputRejected.ts"
import { nextAt } from "../batch/Deadline.ts"
import { type RunOptions, runOnce } from "./RunCommand.ts"
import { exitCodeFor, exitCodes } from "../ExitCodes.ts"
import { commandService } from "../layers/GatewayLayer.ts"
import { openLog } from "../terminal/LogFile.ts"
import { Screen } from "../terminal/Screen.ts"

interface WatchingOptions extends RunOptions {
  /** Seconds without a change after which a file has arrived. */
  readonly settle: number
  /** Seconds between two checks of the files. */
  readonly every: number
}

/** Watches until it is interrupted, the deadline or the budget is reached, or the service rejects the account. */
export const watchCommand = (options: WatchingOptions) =>
  Effect.gen(function* () {
    const screen = yield* Screen
    if (options.log !== undefined) yield* screen.logTo(yield* openLog(options.log))
    const begun = yield* Clock.currentTimeMillis
    const end = options.deadline === undefined ? undefined : nextAt(options.deadline, new Date(begun))
    yield* screen.say(`watching the files of ${options.inputs.join(", ")}`)
    const watch = new Watch()
    while (true) {
      const now = yield* Clock.currentTimeMillis
      if (end !== undefined && now >= end.at) return yield* screen.say(`stopped watching at ${end.words}`)
      const view = yield* lookAround(options, watch, now)
      if (view !== undefined && watch.isDue(view, now)) yield* runArrived(options, watch, view, now)
      else yield* Effect.sleep(options.every * 1_000)
    }
  })

/** The result of a check: the jobs whose files have arrived, and what decides whether to run them. */
interface View {
  readonly jobs: ReadonlyArray<Job>
  readonly files: Sightings
  readonly isArriving: (path: string) => boolean
  /** A text that changes if a job, one of its files or the settings change. */
  readonly signature: string
}

/** The state kept between two checks. */
class Watch {
  files: Sightings = new Map()
  /** Files with faults, as they were when a run rejected them. */
  readonly rejected = new Map<string, string>()
  /** Credits that finished batches have spent. */
  spent = 0
  private last: string | undefined
  private retryAt: number | undefined
  private pause = firstPause
  private said = ""

  isDue({ jobs, signature }: View, now: number): boolean {
    return jobs.length > 0 && (signature !== this.last || (this.retryAt !== undefined && now >= this.retryAt))
  }

  finished({ signature }: View): void {
    this.last = signature
    this.retryAt = undefined
    this.pause = firstPause
  }

  /** Runs the same files again after a pause, which doubles each time. */
  failed({ signature }: View, now: number): number {
    this.last = signature
    const pause = this.pause
    this.retryAt = now + pause
    this.pause = Math.min(maxPause, pause * 2)
    return pause
  }

  /** Whether a message is new; the same one is not repeated at each check. */
  isNews(message: string): boolean {
    const isNews = message !== this.said
    this.said = message
    return isNews
  }
}

const firstPause = 60_000
const maxPause = 30 * 60_000

/** Checks all files; returns undefined if no job has all of its files yet. */
const lookAround = Effect.fnUntraced(function* (options: WatchingOptions, watch: Watch, now: number) {
  const screen = yield* Screen
  const flags = { ...options, withoutTracks: true, isArriving: () => false }
  const found = yield* loadSource({ files: options.inputs }, flags).pipe(
    Effect.provide(commandService(options)),
    Effect.catchTag("InputRejected", ({ message }) =>
      Effect.as(watch.isNews(message) ? screen.say(message) : Effect.void, undefined)
    )
  )
  if (found === undefined) return undefined
  const settings = [found.manifest, overridesPath(found.manifest), found.jobs[0].cast?.file ?? ""]
  const paths = [...found.jobs.flatMap(filesOf), ...settings.map((name) => resolve(name))]
  watch.files = seeFiles(watch.files, yield* stampsOf(paths), now)
  const { files } = watch
  const isArriving = (path: string) =>
    !hasArrived(files.get(path), now, options.settle * 1_000) ||
    watch.rejected.get(path) === stampText(files.get(path))
  const jobs = found.jobs.filter((job) => !filesOf(job).some(isArriving))
  const view: View = {
    jobs,
    files,
    isArriving,
    signature: JSON.stringify([
      settings.map((name) => stampText(files.get(resolve(name)))),
      jobs.map((job) => [job.id, filesOf(job).map((path) => stampText(files.get(path)))])
    ])
  }
  return view
})

const stampsOf = (paths: ReadonlyArray<string>) =>
  Effect.map(
    Effect.forEach(
      new Set(paths),
      (path) =>
        Effect.promise(async (): Promise<readonly [string, FileStamp | undefined]> => {
          const found = await stat(path).catch(() => undefined)
          return [path, found?.isFile() === true ? { size: found.size, modified: found.mtimeMs } : undefined]
        }),
      { concurrency: 32 }
    ),
    (entries) => new Map(entries)
  )

/** Runs the jobs whose files have arrived. Fails if watching has ended. */
const runArrived = Effect.fnUntraced(function* (
  options: WatchingOptions,
  watch: Watch,
  view: View,
  now: number
) {
  const screen = yield* Screen
  const { maxCredits } = options
  const run = runOnce(
    {
      ...options,
      log: undefined,
      isArriving: view.isArriving,
      maxCredits: maxCredits === undefined ? undefined : Math.max(0, maxCredits - watch.spent)
    },
    false,
    // Until the batch is done, its next run counts what the earlier ones have spent.
    ({ isDone, report }) => (watch.spent += isDone ? (report.credits.batch ?? 0) : 0)
  )
  const failure = yield* Effect.flip(Effect.asVoid(run)).pipe(Effect.orElseSucceed(() => undefined))
  if (failure === undefined) return watch.finished(view)
  const { code, message } = exitCodeFor(failure)
  const files = failure instanceof InputRejected ? rejectedFiles(failure, view.jobs) : []
  for (const path of files) watch.rejected.set(path, stampText(view.files.get(path)))
  if (code === exitCodes.stopped || code === exitCodes.fault) return yield* Effect.fail(failure)
  if (watch.isNews(message)) yield* screen.say(message)
  if (files.length > 0) return
  if (code === exitCodes.unusable) return watch.finished(view)
  const pause = code === exitCodes.held ? options.every * 1_000 : watch.failed(view, now)
  if (code === exitCodes.held) yield* Effect.sleep(pause)
  else yield* screen.say(`retrying in ${pause / 60_000} min, or when a file changes`)
})

/** The files of the jobs that a run rejected. */
const rejectedFiles = ({ faults }: InputRejected, jobs: ReadonlyArray<Job>): ReadonlyArray<string> => {
  const names = new Set(faults.map(({ file }) => file))
  return jobs.flatMap(({ input, film = input, inputName, video, sheet }) => [
    ...(names.has(inputName) ? [film] : []),
    ...[video, sheet].flatMap((file) => (file !== undefined && names.has(file.name) ? [file.path] : []))
  ])
}

/** A file's size and modification time; undefined if the file does not exist. */
export interface FileStamp {
  readonly size: number
  /** Time of the last modification, in milliseconds since 1970. */
  readonly modified: number
}

/** A file's last stamp, and the time since which it has not changed. */
export interface Sighting {
  readonly stamp: FileStamp | undefined
  /** Milliseconds since 1970. */
  readonly since: number
}

export type Sightings = ReadonlyMap<string, Sighting>

/**
 * Updates the sightings. A new file counts from its last modification, so a finished file that is moved here has
 * arrived at once. A file that changed since the last check counts from now.
 */
export const seeFiles = (
  before: Sightings,
  stamps: ReadonlyMap<string, FileStamp | undefined>,
  now: number
): Sightings =>
  new Map(
    Array.from(stamps, ([path, stamp]) => {
      const last = before.get(path)
      const since =
        last === undefined
          ? Math.min(now, stamp?.modified ?? now)
          : isSame(last.stamp, stamp)
            ? last.since
            : now
      return [path, { stamp, since }]
    })
  )

/** Whether a file is there, has content, and has not changed for `settle` milliseconds. */
export const hasArrived = (sighting: Sighting | undefined, now: number, settle: number): boolean =>
  sighting?.stamp !== undefined && sighting.stamp.size > 0 && now - sighting.since >= settle

/** A text that changes with the file. */
export const stampText = (sighting: Sighting | undefined): string =>
  sighting?.stamp === undefined ? "none" : `${sighting.stamp.size} ${sighting.stamp.modified}`

const isSame = (one: FileStamp | undefined, other: FileStamp | undefined): boolean =>
  one?.size === other?.size && one?.modified === other?.modified
