import { describe, expect, it } from "@effect/vitest"
import { Either } from "effect"
import { Micros } from "../../../src/domain/time/Units.ts"
import { changedSounds, type ContainerName } from "../../../src/ffmpeg/mux/Container.ts"
import { usualDuck } from "../../../src/domain/manifest/SoundSettings.ts"
import { AudioStream, MediaInfo, VideoStream } from "../../../src/ffmpeg/probe/MediaInfo.ts"
import { muxJob } from "../../../src/ffmpeg/mux/MuxJob.ts"
import type { OriginalSound } from "../../../src/ffmpeg/mux/MuxRequest.ts"

const picture = VideoStream.make({ index: 0, codec: "h264", isDefault: true, attached: false })

const sound = (index: number, codec: string) =>
  AudioStream.make({ index, codec, isDefault: true, rate: 48_000, channels: 1 })

const file = (path: string, streams: MediaInfo["streams"]) =>
  MediaInfo.make({ path, format: "any", duration: Micros.make(4_000_000), streams })

/** A film with AAC gets dubs, one of each codec. */
const muxed = (
  container: ContainerName,
  original: OriginalSound,
  codecs: ReadonlyArray<string>,
  notes: MediaInfo["notes"] = undefined,
  isMarked = false
) => {
  const [first, ...others] = codecs.map((codec) => ({ path: `/${codec}`, isDefault: false, spoken: [] }))
  if (first === undefined) throw new Error("no dub")
  return Either.getOrThrow(
    muxJob(
      {
        video: "/film.mp4",
        out: `/out.${container}`,
        tracks: [first, ...others],
        original,
        subtitles: [],
        isMarked
      },
      container,
      {
        video: MediaInfo.make({ ...file("/film.mp4", [picture, sound(1, "aac")]), notes }),
        tracks: codecs.map((codec) => file(`/${codec}`, [sound(0, codec)])),
        gains: original === usualDuck ? codecs.map((codec) => `/${codec}.gains`) : []
      },
      "/out.part"
    )
  )
}

const words = { comment: "Take 3\nof 5", keywords: "sea" }
const composite = "http://cv.iptc.org/newscodes/digitalsourcetype/compositeSynthetic"

describe("muxJob", () => {
  it.each([
    ["mkv", `DIGITALSOURCETYPE=${composite}`],
    ["mp4", `keywords=sea; synthetic speech, ${composite}`],
    ["mov", `comment=Take 3\nof 5; synthetic speech, ${composite}`]
  ] as const)("marks a %s as partly synthetic, and keeps the film's own words", (container, mark) => {
    const optionsWith = (isMarked: boolean) =>
      muxed(container, "keep", ["aac"], words, isMarked).outputs.flatMap(({ options }) => options)
    const metadata = (isMarked: boolean) =>
      optionsWith(isMarked).filter((_, at, options) => options[at - 1] === "-metadata")
    expect(metadata(true)).toEqual([mark])
    expect(metadata(false)).toEqual([])
  })

  it.each([
    ["mp4", "keep", ["pcm_s16le"], 1],
    ["mp4", "keep", ["pcm_s16le", "aac", "flac"], 2],
    ["mp4", usualDuck, ["aac"], 1],
    ["mp4", usualDuck, ["pcm_s16le", "aac"], 2],
    ["mov", "keep", ["pcm_s16le"], 0],
    ["mov", usualDuck, ["pcm_s16le"], 1],
    ["mkv", "drop", ["pcm_s16le", "flac"], 1]
  ] as const)("%s with %j and %j encodes %i", (container, original, codecs, encodes) => {
    const job = muxed(container, original, codecs)
    expect(job.encodes).toBe(encodes)
    // The video's own sound is copied if it is kept.
    const options = job.outputs.flatMap((output) => output.options)
    const sounds = options.filter((_, at) => /^-c:a:/u.test(options[at - 1] ?? ""))
    expect(sounds.filter((codec) => codec !== "copy").length).toBe(encodes)
    // New sound in a MOV is never compressed.
    if (container === "mov") expect(sounds).not.toContain("aac")
  })

  it.each([
    ["mov", "keep", ["pcm_s24le", "pcm_f32be", "aac"], []],
    ["mov", "keep", ["opus", "vorbis", "opus"], ["Opus to PCM", "Vorbis to PCM"]],
    ["mov", "duck", ["pcm_s24le"], []],
    ["mov", "duck", ["aac"], ["AAC to PCM"]],
    ["mp4", "keep", ["ac3", "aac"], []],
    ["mp4", "keep", ["pcm_s16le", "pcm_s24le"], ["PCM to AAC"]],
    ["mp4", "duck", ["ac3", "pcm_s16le"], ["AC-3 to AAC"]],
    ["mp4", "drop", ["pcm_s16le"], []],
    ["mkv", "keep", ["ac3", "pcm_s16le"], []],
    ["webm", "keep", ["aac"], ["AAC to Opus"]]
  ] as const)(
    "%s with %s reports how the film's own %j changes: %j",
    (container, original, codecs, changes) => {
      const film = file("/film", [picture, ...codecs.map((codec, place) => sound(place + 1, codec))])
      expect(changedSounds(film, container, original).map(({ from, to }) => `${from} to ${to}`)).toEqual(
        changes
      )
    }
  )
})
