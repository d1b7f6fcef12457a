import { it } from "@effect/vitest"
import { Either, FastCheck as fc } from "effect"
import { describe, expect, test } from "vitest"
import { withJobs } from "../../../src/app/init/InitCommand.ts"
import { readManifest } from "../../../src/pipeline/load/ManifestFile.ts"

const job = "  - id: new\n    input: new.srt\n    # voice: an-id"

describe("adding jobs leaves the rest of a manifest unchanged", () => {
  test("after the last job and its comments, at the list's indentation", () => {
    const before = [
      "# mine",
      "jobs:",
      "- id:   a   # spaced",
      "  input: 'a.srt'",
      "  # of a",
      "",
      "# of the file",
      "defaults: {  language: vi }",
      ""
    ].join("\n")
    const added = before.replace("  # of a\n", "  # of a\n- id: new\n  input: new.srt\n  # voice: an-id\n")
    expect(withJobs(before, [job])).toBe(added)
  })

  test("in a file without a final line break, and with CRLF", () => {
    expect(withJobs("jobs:\n  - input: a.srt", [job])).toBe(`jobs:\n  - input: a.srt\n${job}\n`)
    expect(withJobs("jobs:\r\n  - input: a.srt\r\n", [job])).toBe(
      `jobs:\r\n  - input: a.srt\r\n${job.replaceAll("\n", "\r\n")}\r\n`
    )
  })

  test.each([
    ["in brackets", "# mine\njobs: [{ input: a.srt }] # these\n"],
    ["in JSON", '{ "jobs": [{ "input": "a.srt" }] }']
  ])("to a list %s", (_, before) => {
    const after = withJobs(before, [job])
    expect(Either.getOrThrow(readManifest(after, "m")).jobs).toEqual([
      { input: "a.srt" },
      { id: "new", input: "new.srt" }
    ])
    for (const comment of before.match(/# \w+/gu) ?? []) expect(after).toContain(comment)
  })

  test("to a list whose jobs are all commented out", () => {
    const after = withJobs("# mine\njobs:\n  # - input: a.srt\n  []\n", [job])
    expect(Either.getOrThrow(readManifest(after, "m")).jobs).toEqual([{ id: "new", input: "new.srt" }])
    expect(after).toContain("# mine")
  })

  it.prop(
    "after any jobs",
    [
      fc.array(
        fc.record({
          input: fc.stringMatching(/^[a-z]{1,9}\.srt$/u),
          speakers: fc.dictionary(fc.stringMatching(/^[A-Z]{1,5}$/u), fc.constant({ voice: "v" }), {
            maxKeys: 2
          })
        }),
        { minLength: 1, maxLength: 4 }
      )
    ],
    ([jobs]) => {
      const text = `jobs:\n${jobs.map((one) => `  - ${JSON.stringify(one)} # kept`).join("\n")}\n`
      const after = withJobs(text, [job])
      expect(after.startsWith(text)).toBe(true)
      expect(Either.getOrThrow(readManifest(after, "m")).jobs).toEqual([
        ...jobs,
        { id: "new", input: "new.srt" }
      ])
    }
  )
})
