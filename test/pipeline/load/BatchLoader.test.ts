import { dirname, relative } from "node:path"
import { FileSystem } from "@effect/platform"
import { NodeContext } from "@effect/platform-node"
import { expect, layer } from "@effect/vitest"
import { Effect, type Array } from "effect"
import { ModelId, ProviderId, VoiceId } from "../../../src/domain/values/Ids.ts"
import { loadBatch } from "../../../src/pipeline/load/BatchLoader.ts"
import type { RunFlags } from "../../../src/pipeline/load/RunFlags.ts"

/** Writes these files to a temporary folder and loads `inputs` from it. */
const load = Effect.fnUntraced(function* (
  files: Readonly<Record<string, string>>,
  input: string,
  flags: RunFlags = {}
) {
  const fs = yield* FileSystem.FileSystem
  const folder = yield* fs.makeTempDirectoryScoped()
  for (const [name, text] of Object.entries(files)) {
    yield* fs.makeDirectory(dirname(`${folder}/${name}`), { recursive: true })
    yield* fs.writeFileString(`${folder}/${name}`, text)
  }
  const inputs: Array.NonEmptyArray<string> = [`${folder}/${input}`]
  return { folder, loaded: yield* Effect.either(loadBatch(inputs, flags)) }
})

const faultsOf = Effect.fnUntraced(function* (files: Readonly<Record<string, string>>, flags: RunFlags = {}) {
  const { folder, loaded } = yield* load(files, "m.yaml", flags)
  return loaded._tag === "Left" ? loaded.left.message.replaceAll(`${folder}/`, "") : "loaded"
})

layer(NodeContext.layer)("loading", (it) => {
  it.scoped("applies the manifest's defaults to a job, and resolves paths from the manifest's folder", () =>
    Effect.gen(function* () {
      const { folder, loaded } = yield* load(
        {
          "m.yaml":
            "name: night\nservice: { baseUrl: 'http://127.0.0.1:9' }\n" +
            "defaults: { provider: provider_fast, voice: v, fit: { late: 1 } }\n" +
            "jobs: [{ id: one, input: subs/a.vi.srt, video: a.mp4, fit: { early: 0 } }]\n",
          "subs/a.vi.srt": "x"
        },
        "m.yaml"
      )
      const batch = yield* loaded
      expect({ ...batch, profileOf: undefined }).toEqual({
        name: "night",
        manifest: `${folder}/m.yaml`,
        key: `${folder}/m.yaml`,
        out: `${folder}/out`,
        state: `${folder}/.dubwright`,
        undecided: "match",
        service: { baseUrl: "http://127.0.0.1:9" },
        profileOf: undefined,
        jobs: [
          {
            id: "one",
            input: `${folder}/subs/a.vi.srt`,
            inputName: "subs/a.vi.srt",
            video: { path: `${folder}/a.mp4`, name: "a.mp4" },
            language: "vi",
            voice: {
              provider: "provider_fast",
              voice: "v",
              model: undefined,
              speed: undefined,
              vol: undefined,
              pitch: undefined
            },
            speakers: {},
            unit: "cue",
            onFailure: "fail",
            fit: { maxSpeed: 1.3, hardMaxSpeed: 1.6, early: 0, late: 1000, minSpeed: 0.9 },
            retake: false,
            sync: "check",
            text: {},
            lexicon: [],
            pauses: {},
            loudness: -16,
            timeline: {},
            original: "keep",
            duck: { amount: 12, attack: 200, release: 700 },
            audio: {},
            tags: {},
            markSynthetic: true,
            verify: false,
            outputs: ["wav", "srt"]
          }
        ]
      })
    })
  )

  it.scoped("expands a glob into one job per file", () =>
    Effect.gen(function* () {
      const files = {
        "m.yaml": "jobs: [{ input: 'subs/*.srt' }]",
        "subs/b.srt": "x",
        "subs/a.srt": "x",
        "subs/c.txt": "x"
      }
      const batch = yield* (yield* load(files, "m.yaml")).loaded
      expect(batch.jobs.map((job) => [job.id, job.inputName])).toEqual([
        ["a", "subs/a.srt"],
        ["b", "subs/b.srt"]
      ])
    })
  )

  it.scoped(
    "names inputs relative to the manifest's folder, wherever they are, and bare files as given",
    () =>
      Effect.gen(function* () {
        const { folder, loaded } = yield* load(
          {
            "batch/m.yaml": "jobs: [{ input: ../subs/a.srt }, { input: '../subs/b*.srt' }]",
            "subs/a.srt": "x",
            "subs/b1.srt": "x"
          },
          "batch/m.yaml"
        )
        expect((yield* loaded).jobs.map(({ inputName }) => inputName)).toEqual([
          "../subs/a.srt",
          "../subs/b1.srt"
        ])
        const { writeFileString } = yield* FileSystem.FileSystem
        yield* writeFileString(`${folder}/m.yaml`, `jobs: [{ input: ${folder}/subs/a.srt }]`)
        expect((yield* loadBatch([`${folder}/m.yaml`], {})).jobs[0].inputName).toBe("subs/a.srt")
        expect((yield* loadBatch([`${folder}/subs/a.srt`], {})).jobs[0].inputName).toBe(
          `${folder}/subs/a.srt`
        )
        const near = relative(process.cwd(), `${folder}/subs/a.srt`)
        expect((yield* loadBatch([near], {})).jobs[0].inputName).toBe(near)
      })
  )

  it.scoped("takes the service from the flags, then the manifest, then the environment", () =>
    Effect.gen(function* () {
      const files = {
        "m.yaml": "service: { baseUrl: 'http://manifest' }\njobs: [{ input: a.srt }]",
        "a.srt": "x"
      }
      const bare = { "m.yaml": "jobs: [{ input: a.srt }]", "a.srt": "x" }
      const serviceOf = Effect.fnUntraced(function* (
        from: Readonly<Record<string, string>>,
        flags: RunFlags
      ) {
        return (yield* (yield* load(from, "m.yaml", flags)).loaded).service
      })
      expect([
        yield* serviceOf(files, { embedded: true }),
        yield* serviceOf(files, { baseUrl: "http://flag" }),
        yield* serviceOf(files, { environmentBaseUrl: "http://env" }),
        yield* serviceOf(bare, { environmentBaseUrl: "http://env" }),
        yield* serviceOf(bare, {})
      ]).toEqual([
        "embedded",
        { baseUrl: "http://flag" },
        { baseUrl: "http://manifest" },
        { baseUrl: "http://env" },
        "embedded"
      ])
    })
  )

  it.scoped("makes a job with the flags' voice from a bare script file", () =>
    Effect.gen(function* () {
      const batch = yield* (yield* load({ "film.srt": "x" }, "film.srt", {
        provider: ProviderId.make("provider_lowcost"),
        voice: VoiceId.make("v"),
        model: ModelId.make("m")
      })).loaded
      expect(batch.jobs.map(({ id, voice }) => [id, voice.provider, voice.voice, voice.model])).toEqual([
        ["film", "provider_lowcost", "v", "m"]
      ])
    })
  )

  it.scoped("a film given with a bare script file is dubbed, too, unless flags name other outputs", () =>
    Effect.gen(function* () {
      const files = {
        "film.srt": "x",
        "m.yaml": "jobs: [{ input: film.srt }, { input: film.srt, id: b, outputs: [mp3] }]"
      }
      const outputsOf = (input: string, flags: RunFlags) =>
        Effect.map(load(files, input, flags), ({ folder, loaded }) =>
          loaded._tag === "Left"
            ? loaded.left.message.replaceAll(`${folder}/`, "")
            : loaded.right.jobs.map(({ video, outputs }) => [video?.name, ...outputs].join(" "))
        )
      expect(yield* outputsOf("film.srt", { video: "a.MP4" })).toEqual(["a.MP4 wav srt mp4"])
      expect(yield* outputsOf("film.srt", { video: "a.m4v" })).toEqual(["a.m4v wav srt mp4"])
      expect(yield* outputsOf("film.srt", { video: "a.avi" })).toEqual(["a.avi wav srt mkv"])
      expect(yield* outputsOf("film.srt", { video: "a.mov", outputs: ["flac"] })).toEqual(["a.mov flac"])
      expect(yield* outputsOf("m.yaml", { outputs: ["flac"] })).toEqual([" flac", " mp3"])
      expect(yield* outputsOf("m.yaml", { video: "a.mov" })).toBe(
        "a.mov: --video needs a script; in m.yaml, name the film under video"
      )
      const two = yield* Effect.flip(loadBatch(["a.srt", "b.srt"], { video: "a.mov" }))
      expect(two.message).toBe(
        "a.mov: --video names the film of one script, not of 2; name each film in a manifest (dubwright init writes one)"
      )
    })
  )

  it.scoped("applies the manifest's limits over the built-in profile", () =>
    Effect.gen(function* () {
      const batch = yield* (yield* load(
        {
          "m.yaml": "providers: { provider_native: { maxChars: 7 } }\njobs: [{ input: a.srt }]",
          "a.srt": "x"
        },
        "m.yaml",
        { concurrency: 9 }
      )).loaded
      const profile = batch.profileOf(ProviderId.make("provider_native"))
      expect([profile.maxChars, profile.concurrency, profile.minChars]).toEqual([7, 9, 100])
    })
  )

  it.scoped("reports each load fault in one line", () =>
    Effect.gen(function* () {
      expect(yield* faultsOf({ "m.yaml": "jobs: [{ input: gone.srt }]" })).toBe(
        "m.yaml: jobs[0].input: gone.srt: no such file; check the path"
      )
      expect(yield* faultsOf({ "m.yaml": "jobs: [{ input: '*.srt' }]" })).toBe(
        "m.yaml: jobs[0].input: *.srt: no file matches; check the pattern"
      )
      expect(
        yield* faultsOf({
          "m.yaml": "jobs: [{ id: x, input: a.srt }, { id: X, input: b.srt }]",
          "a.srt": "1",
          "b.srt": "2"
        })
      ).toBe('m.yaml: 2 jobs have the id "x" (a.srt, b.srt); give each its own id')
      expect(
        yield* faultsOf({
          "m.yaml":
            "jobs: [{ input: a.srt, video: v.mp4, into: all.mkv }, { input: b.srt, into: all.mkv, outputs: [mp4, srt] }]",
          "a.srt": "1",
          "b.srt": "2"
        })
      ).toBe(
        "m.yaml: job b: into: all.mkv already uses the video of job a; name the same video\n" +
          "m.yaml: job b: into: the job has no audio to add to all.mkv; add wav (or flac, m4a, mp3, opus) to outputs"
      )
      expect(
        yield* faultsOf({
          "m.yaml":
            "jobs: [{ id: all.MKV, input: a.srt, video: v.mp4, into: All.mkv }, { id: run.json, input: a.srt }]",
          "a.srt": "1"
        })
      ).toBe(
        "m.yaml: job all.MKV: this id collides with an output file of the batch; choose another\n" +
          "m.yaml: job run.json: this id collides with an output file of the batch; choose another"
      )
      for (const [key, name, fault] of [
        ["id", "con.vi", "Windows reserves this name for a device"],
        ["id", "日".repeat(74), "at most 220 bytes of UTF-8"],
        ["id", "a:b", 'any of : * ? " < > |'],
        ["into", "a:b.mkv", 'any of : * ? " < > |'],
        ["into", "NUL.mkv", "Windows reserves this name for a device"],
        ["into", `${"n".repeat(117)}.mkv`, "at most 120 character"],
        ["into", `${"日".repeat(73)}.mkv`, "at most 220 bytes of UTF-8"]
      ] as const) {
        const manifest = { jobs: [{ input: "a.srt", video: "v.mp4", [key]: name }] }
        expect(yield* faultsOf({ "m.yaml": JSON.stringify(manifest), "a.srt": "1" })).toContain(fault)
      }
      expect(
        yield* faultsOf({ "m.yaml": "jobs: [{ input: a.srt, into: ../all.avi }]", "a.srt": "1" })
      ).toContain('expected a file name ending in .mp4, .mov, .mkv or .webm, found "../all.avi"')
      expect(
        yield* faultsOf({
          "m.yaml": "defaults: { provider: provider_nativ }\njobs: [{ input: a.srt }]",
          "a.srt": "1"
        })
      ).toBe(
        'm.yaml: job a: unknown provider "provider_nativ"; did you mean provider_native? (known: provider_expressive, ' +
          "provider_fast, provider_native, provider_lowcost, provider_opensource; declare others of your service " +
          "under providers:)"
      )
      expect(yield* faultsOf({ "a.srt": "1" })).toBe("m.yaml: no such file; check the path")
      expect(yield* faultsOf({ "m.yaml": "jobs: [{ input: a.srt }]", "a.srt": "1" }, { only: "b*" })).toBe(
        "m.yaml: no job id matches --only b*; the ids are a"
      )
    })
  )

  it.scoped("reads a JSON file with a transcript, or without jobs, as a subtitle", () =>
    Effect.gen(function* () {
      const whisper = JSON.stringify({ segments: [{ start: 0, end: 1, text: " Hi." }] })
      const talk = yield* (yield* load({ "talk.json": whisper }, "talk.json")).loaded
      expect(talk.jobs.map((job) => [job.id, job.inputName.endsWith("talk.json")])).toEqual([["talk", true]])
      const files = { "talk.json": whisper, "m.json": JSON.stringify({ jobs: [{ input: "talk.json" }] }) }
      const batch = yield* (yield* load(files, "m.json")).loaded
      expect(batch.jobs.map(({ id, inputName }) => [id, inputName])).toEqual([["talk", "talk.json"]])
      const none = yield* (yield* load({ "none.json": JSON.stringify({ text: "Hi." }) }, "none.json")).loaded
      expect(none.jobs.map(({ id }) => id)).toEqual(["none"])
      const { loaded } = yield* load({ "none.json": JSON.stringify({ job: [{ input: "a" }] }) }, "none.json")
      expect(loaded._tag === "Left" ? loaded.left.message : "").toMatch(/none\.json.*jobs/u)
    })
  )

  it.scoped("rejects an unsupported format with advice on how to convert it, and accepts .sbv", () =>
    Effect.gen(function* () {
      const { folder, loaded } = yield* load({ "a.pdf": "%PDF" }, "a.pdf")
      expect(loaded._tag === "Left" ? loaded.left.message : "").toBe(
        `${folder}/a.pdf: PDF documents are not supported; convert the file to text: pdftotext ${folder}/a.pdf ${folder}/a.txt`
      )
      const sbv = yield* (yield* load({ "a.sbv": "0:00:01.000,0:00:02.000\nHi.\n" }, "a.sbv")).loaded
      expect(sbv.jobs.map(({ id }) => id)).toEqual(["a"])
    })
  )
})
