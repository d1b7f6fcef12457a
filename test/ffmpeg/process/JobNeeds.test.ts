import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { abilities, missingAbilities } from "../../../src/ffmpeg/FfmpegAbilities.ts"
import { featureNames } from "../../../src/ffmpeg/process/FfmpegChoice.ts"
import type { FfmpegJob } from "../../../src/ffmpeg/process/FfmpegJob.ts"
import { needsOf } from "../../../src/ffmpeg/process/JobNeeds.ts"
import { ffmpegs } from "../binaries.ts"

const job: FfmpegJob = {
  purpose: "try",
  inputs: [{ source: "/film", options: ["-f", "f32le"] }],
  filters: ["[0:1]aresample=48000,pan=stereo|c0=c0|c1=c0[a]", "[a][1:a]amerge=inputs=2,apad[out]"],
  outputs: [
    {
      target: "/out",
      options: [
        ...["-map", "0:V", "-c:v", "copy", "-map", "[out]", "-c:a:0", "aac", "-aac_coder:a:0", "fast"],
        ...["-filter:a:1", "aformat=channel_layouts=mono|stereo", "-c:a:1", "aac", "-c:s:0", "mov_text"],
        ...["-c:t", "copy", "-metadata", "title=-c:a", "-f", "mp4", "-y"]
      ]
    }
  ],
  encodes: 2
}

describe("needsOf", () => {
  it("reads encoders, filters and muxers from a job, each once", () => {
    expect(needsOf(job).map(({ kind, name }) => `${kind} ${name}`)).toEqual([
      ...["filter aresample", "filter pan", "filter amerge", "filter apad", "filter aformat"],
      ...["encoder aac", "encoder mov_text", "muxer mp4"]
    ])
  })

  it("needs no encoder for a job that copies", () => {
    const copy = {
      ...job,
      filters: [],
      outputs: [{ target: "-", options: ["-c", "copy", "-f", "framecrc"] }]
    }
    expect(needsOf(copy)).toEqual([{ kind: "muxer", name: "framecrc" }])
  })
})

describe("featureNames", () => {
  it("reads ffmpeg's lists of all kinds", () => {
    const encoders = "Encoders:\n V..... = Video\n ------\n A....D aac                  AAC (Advanced)\n"
    const filters = "Filters:\n  T.. = Timeline support\n ..C amerge            N->A       Merge\n"
    const newer = "Filters:\n  T. = Timeline support\n TS aresample         A->A       Resample\n"
    const muxers = "File formats:\n D. = Demuxing\n --\n  E mov,mp4         QuickTime / MOV\n"
    expect([encoders, filters, newer, muxers].map((list) => [...featureNames(list)])).toEqual([
      ["aac"],
      ["amerge"],
      ["aresample"],
      ["mov", "mp4"]
    ])
  })
})

describe("abilities", () => {
  it("name what each kind of file needs", () => {
    const needs = new Map(
      abilities.map(({ name, needs }) => [name, needs.map((feature) => `${feature.kind} ${feature.name}`)])
    )
    expect(needs.get("MP3")).toEqual([
      ...["filter aresample", "filter apad", "filter atrim", "filter volume"],
      ...["encoder libmp3lame", "muxer mp3"]
    ])
    expect(needs.get("WebM")).toEqual([
      ...["filter aresample", "filter apad", "filter atrim", "filter aformat"],
      ...["encoder libopus", "encoder webvtt", "muxer webm"]
    ])
    expect(needs.get("video with a ducked original")).toEqual([
      ...[
        "filter aresample",
        "filter aformat",
        "filter apad",
        "filter atrim",
        "filter asetpts",
        "filter pan"
      ],
      ...["filter amultiply", "filter amerge", "filter alimiter"],
      ...["encoder pcm_s24le", "encoder mov_text", "muxer mov"]
    ])
  })

  for (const { name, binary } of ffmpegs)
    it.effect(`are all present in ${name}`, () =>
      Effect.gen(function* () {
        expect(yield* missingAbilities(binary)).toEqual([])
      })
    )
})
