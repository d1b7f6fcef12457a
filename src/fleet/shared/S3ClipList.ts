/** Finds out which clips a share in S3 has, in few requests. */
import { Effect } from "effect"
import type { UtteranceKey } from "../../domain/values/Ids.ts"
import type { StateUnusable } from "../../store/state/StateErrors.ts"
import type { ListedObject } from "../../system/s3/S3Responses.ts"
import { clipName, type ShareTexts } from "./Share.ts"

/** Requests of small objects sent at once. */
export const requestsAtOnce = 64

/** A page of objects in the order of their names, and the token of the next page. */
interface ListedPage {
  readonly objects: ReadonlyArray<ListedObject>
  readonly next: string | undefined
}

/** Requests to a share. */
interface ClipRequests {
  readonly page: (token: string | undefined) => Effect.Effect<ListedPage, StateUnusable>
  /** An object's size in bytes; undefined if it is missing. */
  readonly size: (name: string) => Effect.Effect<number | undefined, StateUnusable>
  readonly recordOf: ShareTexts["recordOf"]
}

/** Makes a list of the share's clips, which remembers the sizes of complete ones. */
export const makeClipList = ({ page, size, recordOf }: ClipRequests) => {
  /** Sizes in bytes by the clips' names. */
  const sizes = new Map<string, number>()

  /**
   * Lists the clips' names, as long as that takes fewer requests one after the other than asking for each of `count`
   * clips. Returns whether a name is listed, or comes after the last one listed.
   */
  const list = (count: number) =>
    Effect.gen(function* () {
      const listed = new Set<string>()
      let last = ""
      let token: string | undefined
      for (let pages = 1; pages < count / requestsAtOnce; pages++) {
        const { objects, next } = yield* page(token)
        for (const { name, bytes } of objects) {
          listed.add(name)
          if (name.endsWith(".wav")) sizes.set(name, bytes)
        }
        if (next === undefined) return (name: string) => listed.has(name)
        last = objects.at(-1)?.name ?? last
        token = next
      }
      return (name: string) => name > last || listed.has(name)
    })

  const isKnown = (key: UtteranceKey, bytes: number): boolean => sizes.get(clipName(key, "wav")) === bytes

  /** Whether a clip is stored with a size. A clip that is known is not asked for again. */
  const isStored = (key: UtteranceKey, bytes: number): Effect.Effect<boolean, StateUnusable> =>
    isKnown(key, bytes)
      ? Effect.succeed(true)
      : Effect.map(size(clipName(key, "wav")), (found) => {
          if (found !== undefined) sizes.set(clipName(key, "wav"), found)
          return found === bytes
        })

  return {
    /** Reads the records of those utterances whose clips are complete. */
    recordsOf: (keys: ReadonlyArray<UtteranceKey>) =>
      Effect.gen(function* () {
        const isListed = yield* list(keys.length)
        const found = yield* Effect.forEach(
          keys.filter((key) => isListed(clipName(key, "json"))),
          (key) => recordOf(key, isStored),
          { concurrency: requestsAtOnce }
        )
        return found.filter((record) => record !== undefined)
      }),

    /** Returns the clips that are not stored with their sizes. */
    missing: (wanted: ReadonlyMap<UtteranceKey, number>) =>
      Effect.gen(function* () {
        const unknown = [...wanted].filter(([key, bytes]) => !isKnown(key, bytes))
        yield* list(unknown.length)
        const asked = yield* Effect.forEach(
          unknown,
          ([key, bytes]) => Effect.map(isStored(key, bytes), (isThere) => (isThere ? [] : [key])),
          { concurrency: requestsAtOnce }
        )
        return asked.flat()
      })
  }
}
