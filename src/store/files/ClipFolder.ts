/** The folder of clip files. Writes are atomic; size and checksum detect damaged files. */
import { opendirSync, rmSync, statSync } from "node:fs"
import { readdir, rm } from "node:fs/promises"
import { join } from "node:path"
import { Clock, Effect } from "effect"
import type { UtteranceKey } from "../../domain/values/Ids.ts"
import { writeClip } from "./ClipFile.ts"
import { ClipReader, storedClipName } from "./ClipReader.ts"
import { makeFolder } from "../../system/Folder.ts"
import { mapStateError, mapStateErrorLater } from "../state/StateErrors.ts"
import { StateFolder } from "../state/StateFolder.ts"
import { partPrefix, writeAtomically } from "../../system/AtomicFile.ts"

/**
 * The clip folder. It holds `<key>.wav`, and `<key>.original.<extension>` for received audio that is not a clip yet:
 * input for the decoder, or evidence if it is unusable.
 */
export class ClipFolder extends Effect.Service<ClipFolder>()("store/ClipFolder", {
  effect: Effect.gen(function* () {
    const { folder, clips, shared } = yield* StateFolder
    const pathOf = (key: UtteranceKey): string => join(clips, storedClipName(key))

    /** Returns the path of an utterance's received audio. */
    const originalOf = (key: UtteranceKey, ending: string): string => join(clips, `${key}.original.${ending}`)

    const attempt = <A>(work: () => Promise<A>) => mapStateErrorLater(folder, work)

    /** Writes a clip's WAV file, and replaces an existing file atomically. */
    const keep = (key: UtteranceKey, wav: Uint8Array) => attempt(() => writeClip(clips, key, wav))

    /** Writes audio as received from the service. `ending` is the file extension, without the dot. */
    const keepOriginal = Effect.fn("ClipFolder.keepOriginal")(function* (
      key: UtteranceKey,
      ending: string,
      bytes: Uint8Array
    ) {
      yield* attempt(() => writeAtomically(clips, `${key}.original.${ending}`, bytes))
    })

    const reader = new ClipReader(clips)

    /**
     * Runs work that reads clips. It is synchronous, as below, because a mix reads thousands of small files in
     * sequence.
     */
    const reading = <A>(work: (reader: ClipReader) => A) => mapStateError(folder, () => work(reader))

    /** Returns the clips without a file of the given size. */
    const damaged = Effect.fn("ClipFolder.damaged")(function* (sizes: ReadonlyMap<UtteranceKey, number>) {
      if (shared?.missing !== undefined) return yield* shared.missing(sizes)
      // Synchronous: checking ten thousand files takes about ten milliseconds, and ten times as long with promises.
      return yield* mapStateError(folder, () => {
        // A folder that cannot be read must not look like one without clips.
        opendirSync(clips).closeSync()
        return Array.from(sizes).flatMap(([key, bytes]) =>
          statSync(pathOf(key), { throwIfNoEntry: false })?.size === bytes ? [] : [key]
        )
      })
    })

    /**
     * Deletes the files that do not match the given checksums, so that `damaged` reports them. It reads every file, so
     * call it only after one was found damaged.
     */
    const removeSpoilt = Effect.fn("ClipFolder.removeSpoilt")(function* (
      checksums: ReadonlyMap<UtteranceKey, string>
    ) {
      yield* mapStateError(folder, () => {
        for (const [key, checksum] of checksums)
          if (reader.read(key, checksum, () => true) === undefined) rmSync(pathOf(key), { force: true })
      })
    })

    /** Deletes received audio once its clip is stored. */
    const dropOriginal = (key: UtteranceKey, ending: string) =>
      attempt(() => rm(originalOf(key, ending), { force: true }))

    /** Deletes the files that `isChosen` selects. Returns the number of bytes freed. */
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
     * Deletes the received audio of these utterances, of every take, but not their clips. Returns the number of bytes
     * freed.
     */
    const dropOriginals = Effect.fn("ClipFolder.dropOriginals")(function* (
      keys: ReadonlyArray<UtteranceKey>
    ) {
      const wanted = new Set<string>(keys)
      return yield* removeWhere((name) => name.startsWith(".original.", 64) && wanted.has(name.slice(0, 64)))
    })

    /** Deletes all files of these utterances. Returns the number of bytes freed. */
    const remove = Effect.fn("ClipFolder.remove")(function* (keys: ReadonlyArray<UtteranceKey>) {
      const wanted = new Set<string>(keys)
      return yield* removeWhere((name) => wanted.has(name.slice(0, 64)))
    })

    /**
     * Deletes partial files of a killed run. Call it before the folder's only writer writes. In a shared folder, where
     * other machines may be writing, only old partial files are deleted.
     */
    const sweep = Effect.fn("ClipFolder.sweep")(function* () {
      yield* mapStateError(folder, () => makeFolder(clips))
      const before = (yield* Clock.currentTimeMillis) - abandonedAfter
      yield* removeWhere(
        (name) => name.startsWith(partPrefix) && (shared === undefined || isOlder(join(clips, name), before))
      )
    })

    return {
      /** Absolute paths of the state folder and of its clip folder. */
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

/** Age in milliseconds after which a partial file in a shared folder is deleted. */
const abandonedAfter = 24 * 3_600_000

const isOlder = (path: string, before: number): boolean =>
  (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Infinity) < before
