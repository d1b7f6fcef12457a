import { existsSync, mkdirSync, readdirSync, rmSync, truncateSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { UtteranceKey } from "../../../src/domain/values/Ids.ts"
import { ClipFolder } from "../../../src/store/files/ClipFolder.ts"
import { StateFolder } from "../../../src/store/state/StateFolder.ts"
import { temporaryFolder } from "../../hostile/Batch.ts"

const key = (digit: string) => UtteranceKey.make(digit.repeat(64))

const inFolder = <A, E>(work: (clips: ClipFolder, folder: string) => Effect.Effect<A, E>) =>
  Effect.gen(function* () {
    const folder = yield* temporaryFolder
    mkdirSync(join(folder, "clips"))
    return yield* Effect.flatMap(ClipFolder, (clips) => work(clips, folder)).pipe(
      Effect.provide(
        Layer.provide(
          ClipFolder.Default,
          Layer.succeed(StateFolder, {
            folder,
            clips: join(folder, "clips"),
            shared: undefined,
            log: undefined,
            changes: undefined
          })
        )
      )
    )
  })

it.scopedLive("returns what was stored, and nothing else", () =>
  inFolder((clips) =>
    Effect.gen(function* () {
      const bytes = Uint8Array.from({ length: 1_000 }, (_, i) => i)
      const { checksum, bytes: size } = yield* clips.keep(key("a"), bytes)
      const read = <A>(use: (bytes: Uint8Array) => A) =>
        clips.reading((reader) => reader.read(key("a"), checksum, use))
      expect(size).toBe(1_000)
      expect(yield* read((bytes) => Buffer.from(bytes))).toEqual(Buffer.from(bytes))
      // The same length, but different bytes.
      writeFileSync(clips.pathOf(key("a")), new Uint8Array(1_000))
      expect(yield* read(() => "read")).toBe(undefined)
      rmSync(clips.pathOf(key("a")))
      expect(yield* read(() => "read")).toBe(undefined)
    })
  )
)

it.scopedLive("detects missing and truncated clips", () =>
  inFolder((clips) =>
    Effect.gen(function* () {
      const keys = ["a", "b", "c"].map(key)
      for (const one of keys) yield* clips.keep(one, new Uint8Array(10))
      rmSync(clips.pathOf(key("a")))
      truncateSync(clips.pathOf(key("b")), 4)
      expect(yield* clips.damaged(new Map(keys.map((one) => [one, 10])))).toEqual([key("a"), key("b")])
    })
  )
)

it.scopedLive("deletes clips with the right size but different bytes", () =>
  inFolder((clips) =>
    Effect.gen(function* () {
      const well = yield* clips.keep(key("a"), new Uint8Array(10).fill(1))
      const spoilt = yield* clips.keep(key("b"), new Uint8Array(10).fill(2))
      writeFileSync(clips.pathOf(key("b")), new Uint8Array(10))
      const sizes = new Map([key("a"), key("b")].map((one) => [one, 10]))
      expect(yield* clips.damaged(sizes)).toEqual([])
      yield* clips.removeSpoilt(
        new Map([
          [key("a"), well.checksum],
          [key("b"), spoilt.checksum]
        ])
      )
      expect(yield* clips.damaged(sizes)).toEqual([key("b")])
    })
  )
)

it.scopedLive("distinguishes a missing folder from missing clips", () =>
  inFolder((clips, folder) =>
    Effect.gen(function* () {
      rmSync(join(folder, "clips"), { recursive: true })
      expect(yield* Effect.flip(clips.damaged(new Map([[key("a"), 1]])))).toMatchObject({ reason: "gone" })
      expect(yield* Effect.flip(clips.keep(key("a"), new Uint8Array(1)))).toMatchObject({ reason: "gone" })
    })
  )
)

it.scopedLive("deletes the requested files, and partial files of a killed run", () =>
  inFolder((clips, folder) =>
    Effect.gen(function* () {
      yield* clips.keep(key("a"), new Uint8Array(10))
      yield* clips.keepOriginal(key("a"), "mp3", new Uint8Array(5))
      yield* clips.keep(key("b"), new Uint8Array(10))
      yield* clips.keepOriginal(key("b"), "mp3", new Uint8Array(5))
      writeFileSync(join(folder, "clips", `.part-${key("c")}.wav`), "half")
      yield* clips.sweep()
      yield* clips.dropOriginals([key("b")])
      expect(yield* clips.remove([key("a")])).toBe(15)
      expect(readdirSync(join(folder, "clips"))).toEqual([`${key("b")}.wav`])
      expect(existsSync(clips.pathOf(key("b")))).toBe(true)
    })
  )
)
