/** The promises of a share, in both of its forms: a folder that machines mount, and a place in S3. */
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs"
import { join, relative } from "node:path"
import { describe, it } from "@effect/vitest"
import { ConfigProvider, Context, Effect, Fiber, Layer } from "effect"
import { expect } from "vitest"
import { Clip, Segment } from "../../../src/domain/speech/Clip.ts"
import { frames, Lufs, SampleRate } from "../../../src/domain/time/Units.ts"
import { boundCache } from "../../../src/fleet/shared/S3Share.ts"
import { folderShare } from "../../../src/fleet/shared/FolderShare.ts"
import { s3Share } from "../../../src/fleet/shared/S3Share.ts"
import { Share } from "../../../src/fleet/shared/Share.ts"
import { checksumOf } from "../../../src/store/files/Checksum.ts"
import type { UtteranceRecord } from "../../../src/store/tables/UtteranceTransfer.ts"
import { temporaryFolder, utterances } from "../../hostile/Batch.ts"
import { until } from "../../hostile/Command.ts"
import { S3Server } from "../../system/S3Server.ts"

const wav = Buffer.from("the audio of a clip")
const [utterance] = utterances(1)
if (utterance === undefined) throw new Error("expected an utterance")
const { key } = utterance
const plan = "f".repeat(64)

const record: UtteranceRecord = {
  utterance,
  label: "ep01 #1",
  state: "fetched",
  take: 1,
  rerolls: 0,
  losses: 0,
  tasks: [],
  clip: {
    clip: Clip.make({
      key,
      rate: SampleRate.make(24_000),
      frames: frames(9),
      checksum: checksumOf(wav),
      segments: [Segment.make({ from: frames(0), to: frames(9), loudness: Lufs.make(-20), peak: 1 })],
      cut: "whole"
    }),
    bytes: wav.length
  }
}

/** Two machines with one share: the coordinator's folder of inputs and results, and both shares. */
interface Machines {
  readonly home: string
  readonly coordinator: Share["Type"]
  readonly worker: Share["Type"]
  /** Removes a file from the share. */
  readonly lose: (name: string) => void
}

const inFolder = Effect.gen(function* () {
  const home = yield* temporaryFolder
  const open = Effect.map(Layer.build(folderShare(home)), (context) => Context.get(context, Share))
  const machines: Machines = {
    home,
    coordinator: yield* open,
    worker: yield* open,
    lose: (name) => rmSync(join(home, name))
  }
  return machines
})

const s3 = Effect.acquireRelease(
  Effect.promise(() => S3Server.start()),
  (server) => Effect.promise(() => server.stop())
)

const openOn = (server: S3Server, cache: string, machine: "coordinator" | "worker") =>
  Layer.build(s3Share("s3://audio/fleet", { folder: cache, limit: 1e9 }, machine)).pipe(
    Effect.withConfigProvider(ConfigProvider.fromMap(new Map(Object.entries(server.environment)))),
    Effect.map((context) => Context.get(context, Share))
  )

const inS3 = Effect.gen(function* () {
  const server = yield* s3
  const machines: Machines = {
    home: yield* temporaryFolder,
    coordinator: yield* openOn(server, yield* temporaryFolder, "coordinator"),
    worker: yield* openOn(server, yield* temporaryFolder, "worker"),
    lose: (name) => server.objects.delete(`fleet/${name}`)
  }
  return machines
})

describe.each([
  ["a folder", inFolder],
  ["S3", inS3]
] as const)("a share in %s", (_, assembled) => {
  it.scopedLive("keeps texts under their checksums", () =>
    Effect.gen(function* () {
      const { coordinator, worker } = yield* assembled
      const name = yield* coordinator.keep("the plan — of a job")
      expect(name).toBe(checksumOf("the plan — of a job"))
      expect(yield* worker.kept(name)).toBe("the plan — of a job")
    })
  )

  it.scopedLive("has a clip once its record is kept, for every machine, until it is deleted", () =>
    Effect.gen(function* () {
      const { coordinator, worker, lose } = yield* assembled
      const sizes = new Map([[key, wav.length]])
      const isMissing = (share: Share["Type"]) =>
        share.clips.missing === undefined
          ? Effect.sync(() => (existsSync(join(share.clips.folder, `${key}.wav`)) ? [] : [key]))
          : share.clips.missing(sizes)
      expect(yield* coordinator.recordOf(key)).toBeUndefined()
      expect(yield* isMissing(coordinator)).toEqual([key])
      writeFileSync(join(worker.clips.folder, `${key}.wav`), wav)
      yield* worker.keepRecord(record)
      expect(yield* coordinator.recordOf(key)).toEqual(record)
      expect(yield* isMissing(coordinator)).toEqual([])
      yield* coordinator.fetchClips([record])
      expect(readFileSync(join(coordinator.clips.folder, `${key}.wav`))).toEqual(wav)
      lose(`clips/${key}.wav`)
      expect(yield* coordinator.recordOf(key)).toBeUndefined()
    })
  )

  it.scopedLive(
    "brings inputs to a worker, with their times and at the same relative paths, and results back",
    () =>
      Effect.gen(function* () {
        const { home, coordinator, worker } = yield* assembled
        const film = join(home, "films", "one.mp4")
        const out = join(home, "out")
        mkdirSync(join(home, "films"))
        writeFileSync(film, "the film")
        utimesSync(film, 1_700_000_000, 1_700_000_000.123)
        const inputs = yield* coordinator.files.sendInputs([film])
        expect(yield* worker.files.fetchInputs(inputs)).toBe(true)
        const there = (path: string) => worker.files.local(coordinator.files.portable(path))
        expect(readFileSync(there(film), "utf8")).toBe("the film")
        expect(statSync(there(film)).mtime).toEqual(statSync(film).mtime)
        expect(relative(there(out), there(film))).toBe(relative(out, film))

        mkdirSync(join(there(out), "ep01", "clips"), { recursive: true })
        writeFileSync(join(there(out), "ep01", "ep01.wav"), "the sound")
        writeFileSync(join(there(out), "ep01", "clips", "0001.wav"), "a line")
        const list = yield* worker.files.sendResults(plan, there(out), "ep01")
        expect(yield* coordinator.files.fetchResults(list, out)).toBe(true)
        expect(readFileSync(join(out, "ep01", "ep01.wav"), "utf8")).toBe("the sound")
        expect(readFileSync(join(out, "ep01", "clips", "0001.wav"), "utf8")).toBe("a line")
      })
  )
})

describe("a share in S3", () => {
  it.scopedLive("lists clips instead of asking for each, as far as that is faster", () =>
    Effect.gen(function* () {
      const server = yield* s3
      const requests = <A, E>(work: Effect.Effect<A, E>) =>
        Effect.gen(function* () {
          for (const kind of Object.keys(server.answered)) delete server.answered[kind]
          const result = yield* work
          return { result, ...server.answered }
        })
      const open = Effect.flatMap(temporaryFolder, (cache) => openOn(server, cache, "coordinator"))
      const share = yield* open
      const all = utterances(130)
      const records = all.flatMap((one, at) =>
        at % 3 === 0 && record.clip !== undefined
          ? [
              {
                ...record,
                utterance: one,
                clip: { ...record.clip, clip: { ...record.clip.clip, key: one.key } }
              }
            ]
          : []
      )
      for (const each of records) {
        writeFileSync(join(share.clips.folder, `${each.utterance.key}.wav`), wav)
        yield* share.keepRecord(each)
      }
      const keys = all.map((one) => one.key)
      const kept = records.map((each) => each.utterance.key)
      const lost = keys.filter((one) => !kept.includes(one))
      const sizes = new Map(keys.map((one) => [one, wav.length]))
      const missing = (from: Share["Type"]) => from.clips.missing?.(sizes) ?? Effect.succeed([])
      const count = kept.length

      expect(yield* requests(share.recordsOf(keys))).toEqual({ result: records, LIST: 1, GET: count })
      expect(yield* requests(share.recordsOf(keys.slice(0, 9)))).toEqual({
        result: records.slice(0, 3),
        GET: 9
      })
      expect(yield* requests(missing(yield* open))).toEqual({
        result: lost,
        LIST: 1,
        HEAD: lost.length
      })
      // Two pages are listed: after the last name, it is not known which are kept.
      for (let other = 0; other < 2_100; other++)
        server.objects.set(`fleet/clips/8${String(other).padStart(4, "0")}.json`, Buffer.from("{}"))
      const last =
        [...server.objects.keys()].filter((name) => name.startsWith("fleet/clips/")).sort()[1_999] ?? ""
      const after = keys.filter((one) => `fleet/clips/${one}.json` > last)
      expect(after.length).toBeGreaterThan(0)
      expect(after.length).toBeLessThan(keys.length)
      expect(yield* requests(share.recordsOf(keys))).toMatchObject({ result: records, LIST: 2 })
      expect(yield* requests(missing(yield* open))).toMatchObject({ result: lost, LIST: 2 })
    })
  )

  it.scopedLive("sends films above 64 MiB in parts, each film once", () =>
    Effect.gen(function* () {
      const server = yield* s3
      const folder = yield* temporaryFolder
      const coordinator = yield* openOn(server, join(folder, "one"), "coordinator")
      const worker = yield* openOn(server, join(folder, "two"), "worker")
      const film = join(folder, "film.mp4")
      const bytes = Buffer.alloc(70_000_000, "film ")
      writeFileSync(film, bytes)
      const inputs = yield* coordinator.files.sendInputs([film])
      expect(server.parts).toBe(2)
      expect(server.uploads.size).toBe(0)
      yield* (yield* openOn(server, join(folder, "one"), "coordinator")).files.sendInputs([film])
      expect(server.parts).toBe(2)
      expect(yield* worker.files.fetchInputs(inputs)).toBe(true)
      expect(readFileSync(worker.files.local(worker.files.portable(film))).equals(bytes)).toBe(true)
    })
  )

  it.scopedLive("tells of inputs and results that were deleted, and waits for a server that is down", () =>
    Effect.gen(function* () {
      const server = yield* s3
      const folder = yield* temporaryFolder
      const coordinator = yield* openOn(server, join(folder, "one"), "coordinator")
      const worker = yield* openOn(server, join(folder, "two"), "worker")
      const film = join(folder, "film.mp4")
      writeFileSync(film, "film")
      const inputs = yield* coordinator.files.sendInputs([film])
      const out = join(folder, "out")
      mkdirSync(join(out, "ep01"), { recursive: true })
      writeFileSync(join(out, "ep01", "ep01.wav"), "the sound")
      const list = yield* worker.files.sendResults(plan, out, "ep01")
      yield* coordinator.files.dropResults(plan)
      rmSync(join(out, "ep01", "ep01.wav"))
      expect(yield* coordinator.files.fetchResults(list, out)).toBe(false)
      for (const name of server.objects.keys()) if (name.includes("/inputs/")) server.objects.delete(name)
      expect(yield* worker.files.fetchInputs(inputs)).toBe(false)

      server.isDown = true
      const waiting = yield* Effect.fork(coordinator.keep("a plan"))
      yield* Effect.promise(() => until(() => server.refused > 4))
      server.isDown = false
      expect(yield* coordinator.kept(yield* Fiber.join(waiting))).toBe("a plan")
    })
  )

  it.scopedLive("fails with one line if the keys are missing or the bucket does not exist", () =>
    Effect.gen(function* () {
      const server = yield* s3
      const cache = { folder: yield* temporaryFolder, limit: 1 }
      const failed = (address: string, variables: Readonly<Record<string, string>>) =>
        Layer.build(s3Share(address, cache, "worker")).pipe(
          Effect.withConfigProvider(ConfigProvider.fromMap(new Map(Object.entries(variables)))),
          Effect.flip,
          Effect.map(({ message }) => message)
        )
      const said = "cannot use it as the fleet's share: "
      expect(yield* failed("s3://audio/fleet", {})).toContain(`${said}its keys are missing`)
      expect(yield* failed("s3://elsewhere/fleet", server.environment)).toContain(
        `${said}HTTP 404, NoSuchBucket`
      )
    })
  )

  it.scopedLive("keeps copies that are in use, and deletes those used least recently", () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      const hours = (ago: number) => Date.now() / 1000 - ago * 3_600
      for (const [name, ago] of [
        ["new", 0],
        ["used", 4],
        ["old", 9]
      ] as const) {
        writeFileSync(join(folder, name), Buffer.alloc(100))
        utimesSync(join(folder, name), hours(ago), hours(20))
      }
      yield* Effect.promise(() => boundCache([folder], 250))
      expect(["new", "used", "old"].map((name) => existsSync(join(folder, name)))).toEqual([
        true,
        true,
        false
      ])
      yield* Effect.promise(() => boundCache([folder], 0))
      expect(["new", "used"].map((name) => existsSync(join(folder, name)))).toEqual([true, false])
    })
  )
})
