import { FileSystem } from "@effect/platform"
import { NodeContext } from "@effect/platform-node"
import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { loadBatch } from "../../../../src/pipeline/load/BatchLoader.ts"

const house = `loudness: { target: -24, over: programme }
rate: 48000
depth: 24
channels: [2, 6]
start: "01:00:00"
name: "[a-z]+_v\\\\d\\\\.wav"
`

/** Loads a manifest with one job, and returns the job, or the lines of errors. */
const load = Effect.fnUntraced(function* (job: string, profile = house) {
  const fs = yield* FileSystem.FileSystem
  const folder = yield* fs.makeTempDirectoryScoped()
  yield* fs.writeFileString(`${folder}/m.yaml`, `service: embedded\njobs:\n  - { input: a.srt, ${job} }\n`)
  yield* fs.writeFileString(`${folder}/house.yaml`, profile)
  yield* fs.writeFileString(`${folder}/a.srt`, "")
  const loaded = yield* Effect.either(loadBatch([`${folder}/m.yaml`], {}))
  return loaded._tag === "Right"
    ? loaded.right.jobs[0]
    : loaded.left.message.replaceAll(`${folder}/`, "").split("\n")
})

layer(NodeContext.layer)("a job with a delivery profile", (it) => {
  it.scoped("takes a format from the profile if the manifest sets none", () =>
    Effect.gen(function* () {
      expect(yield* load("id: a_v1, delivery: house.yaml")).toMatchObject({
        delivery: { name: "house.yaml", profile: { channels: [2, 6] } },
        audio: { rate: 48_000, depth: 24, channels: "stereo" },
        timeline: { start: "01:00:00:00" }
      })
      // A background decides the channels, and a speaker's pan makes stereo.
      expect(yield* load("delivery: netflix-nearfield, background: me.wav")).toMatchObject({
        audio: { rate: 48_000, depth: 24 }
      })
      expect(yield* load("delivery: podcast")).toMatchObject({ audio: {} })
      // A setting that says the same is no contradiction.
      const same = "loudness: podcast, audio: { channels: mono }"
      expect(yield* load(`delivery: podcast, ${same}`)).toMatchObject({ audio: { channels: "mono" } })
    })
  )

  it.scoped("rejects each setting that contradicts the profile, in a line of its own", () =>
    Effect.gen(function* () {
      const format = "loudness: -16, audio: { rate: 44100, depth: 16, channels: mono }"
      expect(
        yield* load(
          `id: a, delivery: house.yaml, ${format}, timeline: { start: "00:00:00:00" }, outputs: [flac, mp3]`
        )
      ).toEqual([
        "m.yaml: job a: loudness: -16 contradicts delivery: house.yaml, which requires -24 LUFS; remove one of them",
        "m.yaml: job a: audio.rate: 44100 contradicts delivery: house.yaml, which requires 48000 Hz; remove one of them",
        "m.yaml: job a: audio.depth: 16 contradicts delivery: house.yaml, which requires 24 bits; remove one of them",
        "m.yaml: job a: audio.channels: mono contradicts delivery: house.yaml, which requires stereo or 5.1; remove one of them",
        "m.yaml: job a: timeline.start: 00:00:00:00 contradicts delivery: house.yaml, which requires 01:00:00; remove one of them",
        "m.yaml: job a: outputs: mp3 (a lossy format) contradicts delivery: house.yaml, which requires 24 bits; remove one of them",
        "m.yaml: job a: outputs: flac contradicts delivery: house.yaml, which requires a start of 01:00:00, and only wav states one; remove one of them",
        "m.yaml: job a: id: the file a.flac contradicts delivery: house.yaml, which requires names that match [a-z]+_v\\d\\.wav; change the id"
      ])
      expect(yield* load("id: a, delivery: netflix-premix, background: me.wav")).toEqual([
        "m.yaml: job a: background: me.wav contradicts delivery: netflix-premix, which requires voices only; remove one of them"
      ])
      expect(yield* load("id: a, delivery: youtube, original: duck")).toEqual([
        "m.yaml: job a: original: duck contradicts delivery: youtube: ducked sound is not levelled; use background, or original: keep"
      ])
      expect(yield* load("id: a, delivery: house.yaml", "channels: [6]\n")).toEqual([
        "m.yaml: job a: delivery: house.yaml requires 5.1, which needs a background in 5.1; name one under background"
      ])
    })
  )

  it.scoped("names what is wrong in the profile's file, or in its name", () =>
    Effect.gen(function* () {
      expect(yield* load("delivery: house.yaml", "truePeak: 3\nranje: 7\n")).toEqual([
        "house.yaml:1: truePeak: expected a number from -60 to 0, found 3",
        "house.yaml:2: ranje: unknown key; did you mean range?"
      ])
      expect(yield* load("delivery: house.yaml", 'name: "a["\n')).toEqual([
        'house.yaml: name: "a[" is not a regular expression; correct it'
      ])
      expect(yield* load("delivery: netflix-premx")).toEqual([
        expect.stringMatching(/^m\.yaml: delivery: expected one of .*; did you mean netflix-premix\?$/u)
      ])
    })
  )
})
