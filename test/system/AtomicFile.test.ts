import { lstatSync, readFileSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { partOf, replaceFile } from "../../src/system/AtomicFile.ts"
import { temporaryFolder } from "../hostile/Batch.ts"

it.scopedLive.skipIf(process.platform === "win32")(
  "a result never follows a link, complete or incomplete",
  () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      const [result, other] = [join(folder, "film.wav"), join(folder, "other")]
      writeFileSync(other, "before")
      for (const link of [result, partOf(result)]) symlinkSync(other, link)
      yield* replaceFile(
        result,
        (part) => Effect.sync(() => writeFileSync(part, "sound")),
        (path, cause) => `${path}: ${String(cause)}`
      )
      expect([readFileSync(other, "utf8"), readFileSync(result, "utf8")]).toEqual(["before", "sound"])
      expect(lstatSync(result).isFile()).toBe(true)
    })
)
