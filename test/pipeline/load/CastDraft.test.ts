import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { NodeContext } from "@effect/platform-node"
import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { VoiceId } from "../../../src/domain/values/Ids.ts"
import { addToCast } from "../../../src/pipeline/load/cast/CastDraft.ts"
import { temporaryFolder } from "../../hostile/Batch.ts"

layer(NodeContext.layer)("a cast file", (it) => {
  it.scoped("gets new speakers and languages, and keeps all else", () =>
    Effect.gen(function* () {
      const file = join(yield* temporaryFolder, "cast.yaml")
      const add = (speaker: string, language: string, voice: string) => ({
        speaker,
        language,
        voice: VoiceId.make(voice)
      })
      yield* addToCast(file, [add("Anna", "vi", "v1"), add("Anna", "en", "v2")])
      expect(readFileSync(file, "utf8")).toBe("speakers:\n  Anna: { vi: v1, en: v2 }\n")

      writeFileSync(file, "# The Lake\nspeakers:\n  Anna: { vi: v1 } # the heroine\npool: { vi: [v7, v8] }\n")
      yield* addToCast(file, [add("Anna", "en", "v2"), add("Bo: the 2nd", "*", "v3")])
      expect(readFileSync(file, "utf8")).toBe(
        '# The Lake\nspeakers:\n  Anna: { vi: v1, en: v2 } # the heroine\n  "Bo: the 2nd": { "*": v3 }\npool: { vi: [ v7, v8 ] }\n'
      )
      yield* addToCast(file, [])
      expect(readFileSync(file, "utf8")).toContain("# the heroine")
    })
  )
})
