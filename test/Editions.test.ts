/**
 * What is kept between runs has an edition, which must be raised when the same input gives something else. This test
 * makes a little of it, and compares its hash with that of the edition in `editions.json`. `DUBWRIGHT_EDITIONS=write`
 * rewrites that file.
 */
import { createHash } from "node:crypto"
import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { NodeContext } from "@effect/platform-node"
import { expect, it } from "@effect/vitest"
import { Effect, Either, Layer, Schema } from "effect"
import { decodeWav, readWav } from "../src/audio/formats/Wav.ts"
import { wavHeader } from "../src/audio/formats/WavHeader.ts"
import { resample } from "../src/audio/pcm/Resampling.ts"
import { soundRate } from "../src/audio/sync/SoundBands.ts"
import { SpeechTracker } from "../src/audio/sync/SpeechTrack.ts"
import { SampleRate } from "../src/domain/time/Units.ts"
import { Ffmpeg } from "../src/ffmpeg/Ffmpeg.ts"
import * as payloads from "../src/fleet/shared/JobPayloads.ts"
import { runPlan } from "../src/pipeline/Dub.ts"
import { loadBatch, loadManifestValue } from "../src/pipeline/load/BatchLoader.ts"
import { planRun } from "../src/pipeline/plan/BatchPlan.ts"
import { separatedBed } from "../src/pipeline/plan/media/SeparatedBed.ts"
import { bundledFfmpeg } from "./ffmpeg/binaries.ts"
import { ffmpeg } from "./ffmpeg/media.ts"
import { babble } from "./hostile/Babble.ts"
import { temporaryFolder } from "./hostile/Batch.ts"
import { standIn, stored } from "./pipeline/StandIn.ts"

const srt = [
  "1\n00:00:00,500 --> 00:00:02,000\nANNA: Who is there, at this hour of the night?\n",
  "2\n00:00:02,100 --> 00:00:02,900\nBEN: Only me, my dear, and I am rather wet.\n",
  "3\n00:00:05,000 --> 00:00:07,000\nANNA: Come in.\n"
].join("\n")

/** Ten seconds of a buzz in stereo. */
const bed = Buffer.concat([
  wavHeader({ rate: SampleRate.make(24_000), channels: 2, encoding: "int16", frames: 240_000 }),
  Buffer.from(Int16Array.from({ length: 480_000 }, (_, at) => ((at * 37) % 800) - 400).buffer)
])

/** A job's sound, subtitles and timeline. */
const delivered = Effect.gen(function* () {
  const folder = yield* temporaryFolder
  writeFileSync(join(folder, "scene.srt"), srt)
  writeFileSync(join(folder, "bed.wav"), bed)
  const job = {
    input: "scene.srt",
    outputs: ["wav", "srt", "ttml", "edl"],
    background: { file: "bed.wav", duck: true },
    speakers: { ANNA: { voice: "v1", pan: -0.5 }, BEN: { voice: "v2", pan: 0.5 } },
    audio: { rate: 24_000 },
    fit: { maxSpeed: 1.2 },
    timeline: { frameRate: 25, start: "01:00:00:00" }
  }
  const manifest = join(folder, "scene.json")
  writeFileSync(
    manifest,
    JSON.stringify({
      service: { baseUrl: "http://127.0.0.1:9" },
      defaults: { provider: "provider_fast", language: "en" },
      jobs: [job]
    })
  )
  yield* Effect.gen(function* () {
    return yield* runPlan(yield* planRun(yield* loadBatch([manifest], {})), yield* Layer.memoize(standIn(0)))
  }).pipe(Effect.provide([stored(join(folder, ".dubwright")), bundledFfmpeg]))
  return job.outputs.flatMap((ending): ReadonlyArray<Uint8Array | Float32Array> => {
    const bytes = readFileSync(join(folder, "out", "scene", `scene.${ending}`))
    return ending === "wav" ? Either.getOrThrow(readWav(bytes)).channels : [bytes]
  })
})

/** The background that a program makes from a film: here, the film itself. */
const separated = Effect.gen(function* () {
  const folder = yield* temporaryFolder
  writeFileSync(join(folder, "scene.srt"), srt)
  writeFileSync(join(folder, "film.wav"), bed)
  const copy = "const [film, bed] = process.argv.slice(1); require('node:fs').copyFileSync(film, bed)"
  const separate = { command: [process.execPath, "-e", copy, "{film}", "{bed}"] }
  const job = { input: "scene.srt", video: "film.wav", separate, audio: { rate: 24_000 } }
  const batch = yield* loadManifestValue({ service: "embedded", jobs: [job] }, { cwd: folder })
  const track = yield* separatedBed(batch.jobs[0], undefined)
  const { path = "", name: _name, ...format } = track ?? {}
  return [JSON.stringify(format), readFileSync(path)]
}).pipe(Effect.provide(NodeContext.layer))

/** The speech that is found in a film's sound. */
const speech = Effect.sync(() => {
  const pcm = Either.getOrThrow(
    decodeWav(babble("Nobody came that night. We waited until the lamps went out."))
  )
  const tracker = new SpeechTracker()
  tracker.push(resample(pcm, SampleRate.make(soundRate)).samples)
  const { speech: said, presence, above } = tracker.finish()
  return [said, presence, above]
})

/** The subtitle tracks of a film. */
const tracks = Effect.gen(function* () {
  const folder = yield* temporaryFolder
  writeFileSync(join(folder, "scene.srt"), srt)
  const film = join(folder, "film.mkv")
  yield* ffmpeg("-i", join(folder, "scene.srt"), "-metadata:s:s:0", "language=eng", film)
  yield* (yield* Ffmpeg).extractTracks(film, folder)
  const names = readdirSync(folder).filter((name) => /^\d/u.test(name))
  return names.flatMap((name) => [name, readFileSync(join(folder, name), "utf8")])
}).pipe(Effect.provide(bundledFfmpeg))

/** The form of what machines of a fleet send each other. */
const sent = Effect.sync(() =>
  Object.entries(payloads).map(([name, one]) => `${name}: ${Schema.isSchema(one) ? String(one.ast) : ""}`)
)

const kept = {
  "src/pipeline/place/JobFingerprint.ts": delivered,
  "src/pipeline/sync/FilmComparison.ts": speech,
  "src/pipeline/load/FilmTracks.ts": tracks,
  "src/pipeline/plan/media/SeparatedBed.ts": separated,
  "src/fleet/shared/JobPayloads.ts": sent
}

const Editions = Schema.parseJson(
  Schema.Record({ key: Schema.String, value: Schema.Struct({ edition: Schema.Number, hash: Schema.String }) })
)

it.scopedLive("the edition of what is kept is raised whenever the same input gives something else", () =>
  Effect.gen(function* () {
    const file = new URL("editions.json", import.meta.url)
    const before = yield* Schema.decode(Editions)(readFileSync(file, "utf8"))
    const now = yield* Effect.forEach(Object.entries(kept), ([source, made]) =>
      Effect.gen(function* () {
        const sum = createHash("sha256")
        for (const part of yield* made)
          sum.update(
            typeof part === "string" ? part : new Uint8Array(part.buffer, part.byteOffset, part.byteLength)
          )
        const edition = Number(/\bedition = (\d+)/u.exec(readFileSync(source, "utf8"))?.[1])
        return [source, { edition, hash: sum.digest("hex").slice(0, 16) }] as const
      })
    )
    const unraised = now.flatMap(([source, { edition, hash }]) =>
      before[source]?.edition === edition && before[source].hash !== hash
        ? [`${source}: the results of this test differ, so raise its edition (${edition}), or restore them`]
        : []
    )
    expect(unraised).toEqual([])
    if (process.env["DUBWRIGHT_EDITIONS"] === "write")
      writeFileSync(file, `${JSON.stringify(Object.fromEntries(now), undefined, 2)}\n`)
    else
      expect(before, "DUBWRIGHT_EDITIONS=write npx vitest run test/Editions.test.ts").toEqual(
        Object.fromEntries(now)
      )
  })
)
