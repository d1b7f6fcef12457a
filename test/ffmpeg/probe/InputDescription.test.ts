import { describe, expect, it } from "@effect/vitest"
import { ratio } from "../../../src/domain/time/Ratio.ts"
import { exactRate, inputsDescribed } from "../../../src/ffmpeg/probe/InputDescription.ts"
import { AudioStream, OtherStream, SubtitleStream, VideoStream } from "../../../src/ffmpeg/probe/MediaInfo.ts"

/** ffmpeg 7's description of a film, shortened. */
const film = `Input #0, mov,mp4,m4a,3gp,3g2,mj2, from '/films/Stream #0:9: Audio, from 'x'.mp4':
  Metadata:
    major_brand     : isom
    title           : The film's own title
  Duration: 01:02:03.45, start: 0.083000, bitrate: 224 kb/s
  Chapters:
    Chapter #0:0: start 0.000000, end 10.000000
      Metadata:
        title           : Not a track's title
  Stream #0:0[0x1](und): Video: h264 (High) (avc1 / 0x31637661), yuv420p(tv, bt709, progressive), 1920x1080 [SAR 1:1 DAR 16:9], 150 kb/s, 23.98 fps, 23.98 tbr, 24k tbn (default)
      Metadata:
        handler_name    : VideoHandler
  Stream #0:1[0x2](eng): Audio: aac (LC) (mp4a / 0x6134706D), 48000 Hz, 5.1(side), fltp, 69 kb/s (default) (forced)
      Metadata:
        handler_name    : Director's: cut
      Side data:
        unknown: x
  Stream #0:2[0x3](vie): Subtitle: mov_text (tx3g / 0x67337874), 0 kb/s
      Metadata:
        title           : Tiếng Việt
                        : second line
  Stream #0:3[0x4](eng): Data: none (tmcd / 0x64636D74)
  Stream #0:4[0x0]: Video: png, rgb24(pc, gbr/unknown/unknown), 600x600, 90k tbr, 90k tbn (attached pic)
Stream mapping:
  Stream #0:0 -> #0:0 (copy)
Output #0, framecrc, to 'pipe:':
  Stream #0:7: Video: wrapped_avframe
`

describe("inputsDescribed", () => {
  it("reads the streams of an input, and ignores chapters and outputs", () => {
    expect(inputsDescribed(film)).toEqual([
      {
        format: "mov,mp4,m4a,3gp,3g2,mj2",
        stated: 3723.45,
        start: 0.083,
        streams: [
          VideoStream.make({
            index: 0,
            codec: "h264",
            isDefault: true,
            attached: false,
            width: 1920,
            height: 1080,
            frameRate: ratio(24_000, 1001)
          }),
          AudioStream.make({
            index: 1,
            codec: "aac",
            language: "eng",
            title: "Director's: cut",
            isDefault: true,
            rate: 48_000,
            channels: 6
          }),
          SubtitleStream.make({
            index: 2,
            codec: "mov_text",
            language: "vie",
            title: "Tiếng Việt",
            isDefault: false
          }),
          OtherStream.make({ index: 3, kind: "Data" }),
          VideoStream.make({
            index: 4,
            codec: "png",
            isDefault: false,
            attached: true,
            width: 600,
            height: 600
          })
        ]
      }
    ])
  })

  it.each([
    ["of a picture", "", "\n      Metadata:\n        timecode        : 10:00:00;00"],
    ["of a whole file", "\n  Metadata:\n    TIMECODE        : 10:00:00;00", ""]
  ])("reads the timecode %s", (_, ofFile, ofPicture) => {
    const told = `Input #0, x, from 'a':${ofFile}\n  Duration: 00:00:01.00\n  Stream #0:0: Audio: aac, 48000 Hz, mono
  Stream #0:1: Video: h264, yuv420p, 64x64, 25 fps${ofPicture}\n`
    expect(inputsDescribed(told).map(({ timecode }) => timecode)).toEqual(["10:00:00;00"])
  })

  it.each([
    ["160x90", "", 160, 90],
    // PAL widescreen.
    ["720x576 [SAR 64:45 DAR 16:9]", "", 1024, 576],
    ["720x576 [SAR 1:1 DAR 5:4]", ", SAR 16:11 DAR 20:11", 1047, 576],
    ["160x90 [SAR 0:1 DAR 0:0]", "", 160, 90],
    // A phone held upright, in the words of version 7 and of those before.
    [
      "1920x1080 [SAR 1:1 DAR 16:9]",
      "\n      Side data:\n        displaymatrix: rotation of -90.00 degrees",
      1080,
      1920
    ],
    ["1920x1080", "\n    Side data:\n      displaymatrix: rotation of 90.00 degrees", 1080, 1920],
    ["1920x1080", "\n    Side data:\n      displaymatrix: rotation of -180.00 degrees", 1920, 1080]
  ])("computes the display size of %s%s", (size, more, width, height) => {
    const told = `Input #0, mov, from 'a.mov':\n  Stream #0:0: Video: h264, yuv420p, ${size}, 25 fps${more}\n`
    const [{ streams } = { streams: [] }] = inputsDescribed(told)
    expect(streams).toEqual([
      VideoStream.make({
        index: 0,
        codec: "h264",
        isDefault: false,
        attached: false,
        width,
        height,
        frameRate: ratio(25)
      })
    ])
  })

  it("reads several inputs from an older ffmpeg, and tells an estimated length from a stated one", () => {
    const older = `[mp3 @ 0x1] Estimating duration from bitrate, this may be inaccurate
Input #0, mp3, from 'a.mp3':
  Duration: 00:00:03.05, start: 0.000000, bitrate: 64 kb/s
    Stream #0:0: Audio: mp3, 24000 Hz, mono, fltp, 64 kb/s
Input #1, wav, from 'b.wav':
  Duration: N/A, bitrate: 384 kb/s
    Stream #1:0(und): Audio: pcm_s16le ([1][0][0][0] / 0x0001), 24000 Hz, 2 channels, s16, 384 kb/s
    Metadata:
      title           : B
Input #2, mp3, from 'c.mp3':
  Duration: 00:00:01.00, bitrate: 64 kb/s
`
    expect(inputsDescribed(older)).toEqual([
      {
        format: "mp3",
        stated: undefined,
        start: 0,
        streams: [AudioStream.make({ index: 0, codec: "mp3", isDefault: false, rate: 24_000, channels: 1 })]
      },
      {
        format: "wav",
        stated: undefined,
        start: 0,
        streams: [
          AudioStream.make({
            index: 0,
            codec: "pcm_s16le",
            title: "B",
            isDefault: false,
            rate: 24_000,
            channels: 2,
            bits: 16
          })
        ]
      },
      { format: "mp3", stated: 1, start: 0, streams: [] }
    ])
  })

  it("finds no inputs in other output", () => expect(inputsDescribed("no such file\n")).toEqual([]))
})

describe("exactRate", () => {
  it("makes printed rates exact", () => {
    const printed = [23.98, 24, 25, 29.97, 30, 47.95, 48, 50, 59.94, 60, 119.88, 12.5, 14.99]
    expect(printed.map(exactRate)).toEqual([
      ratio(24_000, 1001),
      ratio(24),
      ratio(25),
      ratio(30_000, 1001),
      ratio(30),
      ratio(48_000, 1001),
      ratio(48),
      ratio(50),
      ratio(60_000, 1001),
      ratio(60),
      ratio(120_000, 1001),
      ratio(25, 2),
      ratio(15_000, 1001)
    ])
  })
})
