/** Unusable backgrounds are reported before anything is paid for. */
import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import { NodeContext } from "@effect/platform-node"
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { wavHeader } from "../../../../src/audio/formats/WavHeader.ts"
import type { ChannelCount } from "../../../../src/audio/pcm/Pcm.ts"
import { SampleRate } from "../../../../src/domain/time/Units.ts"
import { loadManifestValue } from "../../../../src/pipeline/load/BatchLoader.ts"
import { readScript } from "../../../../src/script/ScriptFile.ts"
import { checkBackground } from "../../../../src/pipeline/plan/media/JobBackground.ts"
import { plainFolder } from "../../../ffmpeg/media.ts"

interface Written {
  readonly channels?: ChannelCount
  readonly rate?: number
  readonly seconds?: number
  readonly bytes?: (file: Buffer) => Buffer
}

/** Returns the fault of a job with this background and these settings; its one cue is from 2 s to 3 s. */
const faultOf = (
  { channels = 2, rate = 48_000, seconds = 3, bytes = (file) => file }: Written,
  settings: Readonly<Record<string, unknown>> = {}
) =>
  Effect.gen(function* () {
    const folder = yield* plainFolder
    const frames = rate * seconds
    const header = wavHeader({ rate: SampleRate.make(rate), channels, encoding: "int16", frames })
    const file = bytes(Buffer.concat([header, Buffer.alloc(frames * channels * 2)]))
    const text = "1\n00:00:02,000 --> 00:00:03,000\nGood morning.\n"
    yield* Effect.promise(() => writeFile(join(folder, "me.wav"), file))
    yield* Effect.promise(() => writeFile(join(folder, "film.en.srt"), text))
    const job = { input: "film.en.srt", background: "me.wav", ...settings }
    const batch = yield* loadManifestValue({ service: "embedded", jobs: [job] }, { cwd: folder })
    yield* checkBackground(batch.jobs[0], yield* readScript(Buffer.from(text), "film.en.srt"), undefined)
    return undefined
  }).pipe(
    Effect.catchTag("InputRejected", ({ message }) => Effect.succeed(message)),
    Effect.scoped,
    Effect.provide(NodeContext.layer)
  )

it.effect("accepts mono, stereo and 5.1 at the rate and length of the result", () =>
  Effect.gen(function* () {
    for (const channels of [1, 2, 6] as const) expect(yield* faultOf({ channels })).toBeUndefined()
    expect(yield* faultOf({ rate: 44_100 }, { audio: { rate: 44_100 } })).toBeUndefined()
  })
)

it.effect("names what cannot be used, and how to change it", () =>
  Effect.gen(function* () {
    expect(yield* faultOf({ rate: 44_100 })).toBe(
      "me.wav: job film.en: background: 44100 Hz, but the job's files have 48000 Hz; export it at 48000 Hz, or set audio.rate to 44100"
    )
    expect(yield* faultOf({ seconds: 1 })).toBe(
      "me.wav: job film.en: background: 1.000 s long, but cue 1 starts at 2.000 s; export it at the film's full length"
    )
    expect(yield* faultOf({ channels: 6 }, { audio: { channels: "stereo" } })).toContain(
      "5.1, but audio.channels is stereo"
    )
    expect(yield* faultOf({ channels: 6 }, { outputs: ["mp3"] })).toContain("which MP3 cannot hold")
    expect(yield* faultOf({ bytes: (file) => file.subarray(0, 1_000) })).toContain("it is truncated")
    expect(yield* faultOf({ bytes: () => Buffer.from("ID3") })).toContain("not a WAV file")
    expect(yield* faultOf({ channels: 6, bytes: (file) => (file.writeUInt32LE(0x3c, 40), file) })).toContain(
      "channel mask 0x3c"
    )
    expect(yield* faultOf({}, { background: "gone.wav" })).toContain("gone.wav: job film.en: background:")
    expect(yield* faultOf({}, { original: "duck" })).toContain("background and original: duck both")
    expect(yield* faultOf({ channels: 2 }, { audio: { channels: "5.1" } })).toContain(
      "stereo, but audio.channels is 5.1"
    )
  })
)
