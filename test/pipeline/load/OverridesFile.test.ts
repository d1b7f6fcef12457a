import { readFileSync, mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { NodeContext } from "@effect/platform-node"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { ProviderId, SpeakerName, VoiceId } from "../../../src/domain/values/Ids.ts"
import { overridesPath } from "../../../src/pipeline/load/BatchId.ts"
import { editOverrides, readOverrides, writeOverrides } from "../../../src/pipeline/load/OverridesFile.ts"

const manifestIn = (text?: string): string => {
  const manifest = join(mkdtempSync(join(tmpdir(), "dubwright-")), "nightly.yaml")
  if (text !== undefined) writeFileSync(overridesPath(manifest), text)
  return manifest
}

/** The file's changes to cues; it has nothing else. */
const changesIn = (manifest: string) =>
  Effect.map(readOverrides(manifest), ({ voices, approved, ...rest }) => {
    expect([voices, approved]).toEqual([{}, {}])
    return rest
  })

const faultsOf = (text: string) =>
  Effect.flip(readOverrides(manifestIn(text))).pipe(
    Effect.map(({ message }) => message.replaceAll(/^.*\/nightly/gmu, "nightly"))
  )

describe("the overrides file", () => {
  it.effect("reads as empty if it does not exist", () =>
    Effect.gen(function* () {
      expect(yield* changesIn(manifestIn())).toEqual({ jobs: {} })
      expect(yield* changesIn(manifestIn("\n"))).toEqual({ jobs: {} })
    }).pipe(Effect.provide(NodeContext.layer))
  )

  it.effect("may hold only comments, which stay when a change is written", () =>
    Effect.gen(function* () {
      const manifest = manifestIn("# mine\n")
      expect(yield* changesIn(manifest)).toEqual({ jobs: {} })
      yield* writeOverrides(manifest, "ep01", { "3": { say: "Three." } })
      expect(yield* changesIn(manifest)).toEqual({ jobs: { ep01: { "3": { say: "Three." } } } })
      expect(readFileSync(overridesPath(manifest), "utf8")).toContain("# mine")
    }).pipe(Effect.provide(NodeContext.layer))
  )

  it.effect("returns what was written, and keeps the rest of the file", () =>
    Effect.gen(function* () {
      const manifest = manifestIn(
        '# mine\njobs:\n  ep01:\n    # why not\n    3: { say: "Three." }\n    4: { speed: 1.1 }\n'
      )
      yield* writeOverrides(manifest, "ep01", {
        "3": undefined,
        "12": { was: "A: b\n#c", say: "yes", voice: VoiceId.make("anna"), provider: ProviderId.make("p") },
        "12.2": { start: 1.5, end: 2 }
      })
      yield* writeOverrides(manifest, "ep 02: new", { "1": { alone: true } })
      expect(yield* changesIn(manifest)).toEqual({
        jobs: {
          ep01: {
            "4": { speed: 1.1 },
            "12": { was: "A: b\n#c", say: "yes", voice: "anna", provider: "p" },
            "12.2": { start: 1.5, end: 2 }
          },
          "ep 02: new": { "1": { alone: true } }
        }
      })
      expect(readFileSync(overridesPath(manifest), "utf8")).toContain("# mine")
    }).pipe(Effect.provide(NodeContext.layer))
  )

  it.effect("can be emptied by hand and written again", () =>
    Effect.gen(function* () {
      for (const text of ["jobs:\n", "# mine\njobs:\n  ep01:\n"]) {
        const manifest = manifestIn(text)
        expect(yield* changesIn(manifest)).toEqual({ jobs: {} })
        yield* writeOverrides(manifest, "ep01", { "3": { say: "Three." } })
        expect(yield* changesIn(manifest)).toEqual({ jobs: { ep01: { "3": { say: "Three." } } } })
      }
    }).pipe(Effect.provide(NodeContext.layer))
  )

  it.effect("starts with a comment on its purpose, and drops a job without changes", () =>
    Effect.gen(function* () {
      const manifest = manifestIn()
      yield* writeOverrides(manifest, "ep01", { "1": { say: "One." } })
      yield* writeOverrides(manifest, "ep01", { "1": undefined })
      expect(readFileSync(overridesPath(manifest), "utf8")).toBe(
        "# Changes to single cues, accepted in dubwright review. Every run applies them; delete an entry to undo it.\n\njobs: {}\n"
      )
    }).pipe(Effect.provide(NodeContext.layer))
  )

  it.effect("reports each fault with its line", () =>
    Effect.gen(function* () {
      expect(yield* faultsOf("jobs:\n  ep01:\n    3: { said: x }\n    4: { speed: fast }\n")).toBe(
        'nightly.yaml.overrides.yaml:3: jobs.ep01.3.said: unknown key; did you mean say?\nnightly.yaml.overrides.yaml:4: jobs.ep01.4.speed: expected a number above 0, found "fast"'
      )
      expect(yield* faultsOf("jobs:\n  ep01:\n    three: { say: x }\n")).toContain(
        "expected a cue number such as 12"
      )
      expect(yield* faultsOf("jobs:\n  ep01: []\n")).toBe(
        "nightly.yaml.overrides.yaml:2: jobs.ep01: expected keys with their values, found []"
      )
      expect(yield* faultsOf("- 3\n")).toBe(
        "nightly.yaml.overrides.yaml:1: expected jobs: { <job id>: { <cue number>: changes } }"
      )
    }).pipe(Effect.provide(NodeContext.layer))
  )

  it.effect("keeps voices and approvals beside changes, and can undo an edit", () =>
    Effect.gen(function* () {
      const manifest = manifestIn()
      const approval = { by: "anna", at: "2026-03-02T22:00:03Z", of: "0c1d" }
      const voice = [{ speaker: SpeakerName.make("MINH"), voice: VoiceId.make("bo") }]
      const first = yield* editOverrides(manifest, [
        { path: ["voices", "ep01"], value: voice },
        { path: ["approved", "ep01", "cues", "3"], value: approval }
      ])
      const whole = { jobs: {}, voices: { ep01: voice }, approved: { ep01: { cues: { "3": approval } } } }
      expect(yield* readOverrides(manifest)).toEqual(whole)
      expect(first.before.text).toBe("")
      yield* writeOverrides(manifest, "ep01", { "3": { say: "Three." } })
      expect(readFileSync(overridesPath(manifest), "utf8")).toContain(
        'jobs:\n  ep01:\n    "3":\n      say: Three.\n'
      )
      yield* editOverrides(manifest, first.before.entries)
      expect(yield* changesIn(manifest)).toEqual({ jobs: { ep01: { "3": { say: "Three." } } } })
    }).pipe(Effect.provide(NodeContext.layer))
  )
})
