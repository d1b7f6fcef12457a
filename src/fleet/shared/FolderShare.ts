/** A share that is a folder; each machine may mount it at another path. */
import { existsSync, readFileSync, realpathSync, statSync } from "node:fs"
import { dirname, join, resolve, sep } from "node:path"
import { Array, Effect, Layer } from "effect"
import { mapStateError, mapStateErrorLater } from "../../store/state/StateErrors.ts"
import type { SharedClips } from "../../store/state/StateFolder.ts"
import { writeAtomically } from "../../system/AtomicFile.ts"
import { makeFolder } from "../../system/Folder.ts"
import { pathInside } from "../../system/PathComparison.ts"
import { FleetUnusable } from "./FleetErrors.ts"
import { portableMark, Share, shareTexts } from "./Share.ts"

/** The clips in a shared folder. */
export const clipsOf = (folder: string): SharedClips => ({
  folder: join(folder, "clips"),
  missing: undefined
})

/** Opens a shared folder; creates it if missing. */
export const folderShare = (folder: string): Layer.Layer<Share, FleetUnusable> =>
  Layer.effect(
    Share,
    Effect.gen(function* () {
      yield* Effect.tryPromise({
        try: async () => {
          makeFolder(clipsOf(folder).folder)
          makeFolder(join(folder, "fleet"))
          await writeAtomically(join(folder, "fleet"), ".writable", new Uint8Array())
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
      const at = (name: string) => join(root, name)
      const texts = shareTexts({
        name: root,
        read: (name) =>
          mapStateError(root, () => (existsSync(at(name)) ? readFileSync(at(name), "utf8") : undefined)),
        write: (name, text) =>
          mapStateErrorLater(root, () =>
            writeAtomically(dirname(at(name)), name.slice(name.indexOf("/") + 1), Buffer.from(text))
          ),
        size: (name) => mapStateError(root, () => statSync(at(name), { throwIfNoEntry: false })?.size)
      })
      return {
        name: root,
        clips: clipsOf(root),
        ...texts,
        recordsOf: (keys) =>
          Effect.map(
            Effect.forEach(keys, (key) => texts.recordOf(key)),
            Array.filter((record) => record !== undefined)
          ),
        fetchClips: () => Effect.void,
        files: {
          holds: (path) => inside(path) !== undefined,
          portable: (path) => {
            const found = inside(path)
            return found === undefined ? path : portableMark + found.split(sep).join("/")
          },
          local: (path) => (path.startsWith(portableMark) ? at(path.slice(portableMark.length)) : path),
          sendInputs: () => Effect.succeed([]),
          fetchInputs: () => Effect.succeed(true),
          sendResults: () => Effect.succeed(undefined),
          fetchResults: () => Effect.succeed(true),
          dropResults: () => Effect.void
        }
      }
    })
  )
