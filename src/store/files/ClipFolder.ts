/** The clips' files. Each appears whole or not at all, and is told from a damaged one by its size and checksum. */
import { opendirSync, rmSync, statSync } from "node:fs"
import { readdir, rm } from "node:fs/promises"
import { join } from "node:path"
import { Clock, Effect } from "effect"
import type { UtteranceKey } from "../../domain/values/Ids.ts"
import { storedClipName, writeClip } from "./ClipFile.ts"
import { ClipReader } from "./ClipReader.ts"
import { makeFolder } from "../state/Folder.ts"
import { mapStateError, mapStateErrorLater } from "../state/StateErrors.ts"
import { StateFolder } from "../state/StateFolder.ts"
import { partPrefix, writeAtomically } from "./AtomicFile.ts"

/**
 * The folder of clips: `<key>.wav`, and `<key>.original.<ending>` for what was received as long as no clip could be
 * made of it: for the decoder to read, and as evidence where it is of no use.
 */
export class ClipFolder extends Effect.Service<ClipFolder>()("store/ClipFolder", {
  effect: Effect.gen(function* () {
    const { folder, clips, shared } = yield* StateFolder
    const pathOf = (key: UtteranceKey): string => join(clips, storedClipName(key))

    /** Where what was received lies, where it is kept. */
    const originalOf = (key: UtteranceKey, ending: string): string => join(clips, `${key}.original.${ending}`)

    const attempt = <A>(work: () => Promise<A>) => mapStateErrorLater(folder, work)

    /** Keeps a clip's WAV file. Whatever stood in its place before is replaced in one step. */
    const keep = (key: UtteranceKey, wav: Uint8Array) => attempt(() => writeClip(clips, key, wav))

    /** Keeps what the service sent, as it came; `ending` is a file name's, without the dot. */
    const keepOriginal = Effect.fn("ClipFolder.keepOriginal")(function* (
      key: UtteranceKey,
      ending: string,
      bytes: Uint8Array
    ) {
      yield* attempt(() => writeAtomically(clips, `${key}.original.${ending}`, bytes))
    })

    const reader = new ClipReader(clips)

    /** Work with clips as they are read. Synchronous, as below: a mix reads thousands of small files one by one. */
    const reading = <A>(work: (reader: ClipReader) => A) => mapStateError(folder, () => work(reader))

    /** Which of these clips, given with their sizes, have no file of that size. */
    const damaged = Effect.fn("ClipFolder.damaged")(function* (sizes: ReadonlyMap<UtteranceKey, number>) {
      // Synchronous: ten thousand looks at a folder take some ten milliseconds, as promises ten times as long.
      return yield* mapStateError(folder, () => {
        // A folder that cannot be read is no folder without clips.
        opendirSync(clips).closeSync()
        return Array.from(sizes).flatMap(([key, bytes]) =>
          statSync(pathOf(key), { throwIfNoEntry: false })?.size === bytes ? [] : [key]
        )
      })
    })

    /**
     * Removes, of these clips given with their checksums, every file that is not what was written, so that `damaged`
     * tells of it. Reads all of them: for when one was found so.
     */
    const removeSpoilt = Effect.fn("ClipFolder.removeSpoilt")(function* (
      checksums: ReadonlyMap<UtteranceKey, string>
    ) {
      yield* mapStateError(folder, () => {
        for (const [key, checksum] of checksums)
          if (reader.read(key, checksum, () => true) === undefined) rmSync(pathOf(key), { force: true })
      })
    })

    /** Removes what was received, once its clip is kept. */
    const dropOriginal = (key: UtteranceKey, ending: string) =>
      attempt(() => rm(originalOf(key, ending), { force: true }))

    /** Removes the files whose names are chosen; returns how many bytes that frees. */
    const removeWhere = (isChosen: (name: string) => boolean) =>
      attempt(async () => {
        let freed = 0
        for (const name of await readdir(clips)) {
          if (!isChosen(name)) continue
          freed += statSync(join(clips, name), { throwIfNoEntry: false })?.size ?? 0
          await rm(join(clips, name), { force: true })
        }
        return freed
      })

    /**
     * Removes what was received for these utterances in whatever take; their clips stay. Returns how many bytes that
     * frees.
     */
    const dropOriginals = Effect.fn("ClipFolder.dropOriginals")(function* (
      keys: ReadonlyArray<UtteranceKey>
    ) {
      const wanted = new Set<string>(keys)
      return yield* removeWhere((name) => name.startsWith(".original.", 64) && wanted.has(name.slice(0, 64)))
    })

    /** Removes everything of these utterances; returns how many bytes that frees. */
    const remove = Effect.fn("ClipFolder.remove")(function* (keys: ReadonlyArray<UtteranceKey>) {
      const wanted = new Set<string>(keys)
      return yield* removeWhere((name) => wanted.has(name.slice(0, 64)))
    })

    /**
     * Removes what a killed run left half-written. Only for the folder's one writer, before it writes; in a shared
     * folder, where others may be writing, what is too old for that.
     */
    const sweep = Effect.fn("ClipFolder.sweep")(function* () {
      yield* mapStateError(folder, () => makeFolder(clips))
      const before = (yield* Clock.currentTimeMillis) - abandonedAfter
      yield* removeWhere(
        (name) => name.startsWith(partPrefix) && (!shared || isOlder(join(clips, name), before))
      )
    })

    return {
      /** The folder of the state that it is a part of, and itself; absolute. */
      state: folder,
      folder: clips,
      pathOf,
      originalOf,
      keep,
      keepOriginal,
      reading,
      damaged,
      removeSpoilt,
      dropOriginal,
      dropOriginals,
      remove,
      sweep
    }
  })
}) {}

/** A half-written file of a shared folder is left for so long, in milliseconds. */
const abandonedAfter = 24 * 3_600_000

const isOlder = (path: string, before: number): boolean =>
  (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Infinity) < before
