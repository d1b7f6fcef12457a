/**
 * The folder that all machines of a fleet share; each may mount it at another path. It holds clips, each with its
 * record, and a batch's plans and terms, named by their checksums. Files are written atomically.
 */
import { existsSync, readFileSync, realpathSync, statSync } from "node:fs"
import { join, resolve, sep } from "node:path"
import { Effect, Option, Schedule, Schema } from "effect"
import type { UtteranceKey } from "../../domain/values/Ids.ts"
import { checksumOf } from "../../store/files/Checksum.ts"
import { makeFolder } from "../../system/Folder.ts"
import { UtteranceRecord } from "../../store/tables/UtteranceTransfer.ts"
import { type StateUnusable, mapStateError, mapStateErrorLater } from "../../store/state/StateErrors.ts"
import { writeAtomically } from "../../system/AtomicFile.ts"
import { pathInside } from "../../system/PathComparison.ts"
import { FleetUnusable } from "./FleetErrors.ts"
import { clipsIn } from "./WorkerRoles.ts"

const readRecord = Schema.decodeOption(Schema.parseJson(UtteranceRecord))
const writeRecord = Schema.encodeSync(Schema.parseJson(UtteranceRecord))

/** An open shared folder. */
export interface SharedFolder {
  /** Absolute, with links resolved. */
  readonly root: string
  /** The folder of clips. */
  readonly clips: string
  /** Whether a path is inside the shared folder. */
  readonly holds: (path: string) => boolean
  /** Returns a path inside the folder in portable form; returns any other path unchanged. */
  readonly portable: (path: string) => string
  /** Returns a portable path as this machine's path. */
  readonly local: (path: string) => string
  /** Stores a text and returns its name. */
  readonly keep: (text: string) => Effect.Effect<string, StateUnusable>
  /** Reads a stored text. Fails if it does not appear within 35 s, as in a folder that is not the fleet's. */
  readonly kept: (name: string) => Effect.Effect<string, StateUnusable | FleetUnusable>
  /** Stores a clip's record beside it, for other machines. */
  readonly keepRecord: (record: UtteranceRecord) => Effect.Effect<void, StateUnusable>
  /** Reads the record of a clip; undefined if the clip is missing or incomplete. */
  readonly recordOf: (key: UtteranceKey) => Effect.Effect<UtteranceRecord | undefined, StateUnusable>
}

/** A file of another machine may appear late: network file systems cache that a file did not exist. */
const appearing = Schedule.intersect(Schedule.spaced("1 second"), Schedule.recurs(35))

const strange = (name: string): string =>
  `fleet/${name}.json is missing; mount the folder that run --fleet uses, the same on every machine`

/** Prefix that replaces the shared folder in portable paths. */
const mark = "share:"

/** Opens a shared folder; creates it if missing. */
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
          words: `cannot use it as the fleet's shared folder: ${cause instanceof Error ? cause.message : String(cause)}; mount it, or choose another with --share`
        })
    })
    const root = realpathSync(folder)
    const inside = (path: string): string | undefined =>
      pathInside(root, existsSync(path) ? realpathSync(path) : resolve(path))
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
