/** Finds out which clips a share in S3 may have, in few requests. */
import { Effect } from "effect"
import type { UtteranceKey } from "../../domain/values/Ids.ts"
import type { S3Client } from "../../system/s3/S3Client.ts"
import { clipName } from "./Share.ts"

/** Requests of small objects sent at once. */
export const requestsAtOnce = 64

/**
 * Lists the clips' names, as long as that takes fewer requests one after the other than asking for each clip. Returns
 * the utterances that are listed, or whose names come after the last one listed.
 */
export const listedClips = (s3: S3Client, keys: ReadonlyArray<UtteranceKey>) =>
  Effect.gen(function* () {
    const listed = new Set<string>()
    let last = ""
    let token: string | undefined
    for (let pages = 1; pages < keys.length / requestsAtOnce; pages++) {
      const { objects, next } = yield* s3.list("clips/", 1_000, token)
      for (const { name } of objects) listed.add(name)
      if (next === undefined) return keys.filter((key) => listed.has(clipName(key, "json")))
      last = objects.at(-1)?.name ?? last
      token = next
    }
    return keys.filter((key) => clipName(key, "json") > last || listed.has(clipName(key, "json")))
  })
