/**
 * The folder that all machines of a fleet mount, wherever each of them mounts it: clips with their records beside them,
 * and what a batch's machines must know to work on it, each file named by what is in it, whole or not at all.
 */
import { existsSync, readFileSync, realpathSync, statSync } from "node:fs"
import { join, relative, resolve, sep } from "node:path"
import { Effect, Option, Schedule, Schema } from "effect"
import type { UtteranceKey } from "../../domain/values/Ids.ts"
import { checksumOf } from "../../store/files/Checksum.ts"
import { makeFolder } from "../../store/state/Folder.ts"
import { UtteranceRecord } from "../../store/tables/UtteranceTransfer.ts"
import { type StateUnusable, mapStateError, mapStateErrorLater } from "../../store/state/StateErrors.ts"
import { writeAtomically } from "../../store/files/AtomicFile.ts"
import { FleetUnusable } from "./FleetErrors.ts"
import { clipsIn } from "./WorkerRoles.ts"

const readRecord = Schema.decodeOption(Schema.parseJson(UtteranceRecord))
const writeRecord = Schema.encodeSync(Schema.parseJson(UtteranceRecord))

/** An open shared folder. */
export interface SharedFolder {
  /** Absolute, links resolved. */
  readonly root: string
  /** Where the clips are. */
  readonly clips: string
  /** Whether a path lies in it. */
  readonly holds: (path: string) => boolean
  /** A path in it as every machine may write it down; any other as it is. */
  readonly portable: (path: string) => string
  /** A path that was written down, on this machine. */
  readonly local: (path: string) => string
  /** Keeps a text and returns its name. */
  readonly keep: (text: string) => Effect.Effect<string, StateUnusable>
  /** A kept text; fails where it is not there after a while, as in a folder that is not the fleet's. */
  readonly kept: (name: string) => Effect.Effect<string, StateUnusable | FleetUnusable>
  /** Writes down what a clip is, for whoever finds it there. */
  readonly keepRecord: (record: UtteranceRecord) => Effect.Effect<void, StateUnusable>
  /** The record of a clip that is there with all its bytes. */
  readonly recordOf: (key: UtteranceKey) => Effect.Effect<UtteranceRecord | undefined, StateUnusable>
}

/** What another machine has written may appear late: a network's folder remembers for a while what was not there. */
const appearing = Schedule.intersect(Schedule.spaced("1 second"), Schedule.recurs(35))

const strange = (name: string): string =>
  `fleet/${name}.json is not there: every machine of a fleet needs the same folder; mount the one that run --fleet was given`

/** What stands for the shared folder in paths that are written down. */
const mark = "share:"

/** Opens a shared folder, made where it is missing. */
export const openSharedFolder = (folder: string): Effect.Effect<SharedFolder, FleetUnusable> =>
  Effect.gen(function* () {
    const clips = clipsIn(folder)
    const notes = join(folder, "fleet")
    yield* Effect.tryPromise({
      try: async () => {
        makeFolder(clips)
        makeFolder(notes)
        await writeAtomically(notes, ".writable", new Uint8Array())
      },
      catch: (cause) =>
        new FleetUnusable({
          about: folder,
          words: `cannot be used as the fleet's folder: ${cause instanceof Error ? cause.message : String(cause)}; mount it, or name another with --share`
        })
    })
    const root = realpathSync(folder)
    const inside = (path: string): string | undefined => {
      const found = relative(root, existsSync(path) ? realpathSync(path) : resolve(path))
      return found === ".." || found.startsWith(`..${sep}`) ? undefined : found
    }
    const text = (path: string) =>
      mapStateError(root, () => (existsSync(path) ? readFileSync(path, "utf8") : undefined))
    const share: SharedFolder = {
      root,
      clips: clipsIn(root),
      holds: (path) => inside(path) !== undefined,
      portable: (path) => {
        const found = inside(path)
        return found === undefined ? path : mark + found.split(sep).join("/")
      },
      local: (path) => (path.startsWith(mark) ? join(root, path.slice(mark.length)) : path),
      keep: (content) => {
        const name = checksumOf(content)
        return existsSync(join(notes, `${name}.json`))
          ? Effect.succeed(name)
          : Effect.as(
              mapStateErrorLater(root, () => writeAtomically(notes, `${name}.json`, Buffer.from(content))),
              name
            )
      },
      kept: (name) =>
        text(join(notes, `${name}.json`)).pipe(
          Effect.filterOrFail(
            (content) => content !== undefined && checksumOf(content) === name,
            () => new FleetUnusable({ about: root, words: strange(name) })
          ),
          Effect.map((content) => content ?? ""),
          Effect.retry({ while: ({ _tag }) => _tag === "FleetUnusable", schedule: appearing })
        ),
      keepRecord: (record) =>
        mapStateErrorLater(root, () =>
          writeAtomically(clips, `${record.utterance.key}.json`, Buffer.from(writeRecord(record)))
        ),
      recordOf: (key) =>
        Effect.flatMap(text(join(clips, `${key}.json`)), (content) =>
          mapStateError(root, () => {
            const record = content === undefined ? undefined : Option.getOrUndefined(readRecord(content))
            const wav = statSync(join(clips, `${key}.wav`), { throwIfNoEntry: false })
            return record?.clip !== undefined && wav?.size === record.clip.bytes ? record : undefined
          })
        )
    }
    return share
  })
