import { filmSounds } from "../../../src/app/init/FilmSound.ts"
import { it } from "@effect/vitest"
import { Either, FastCheck as fc } from "effect"
import { describe, expect, test } from "vitest"
import { embeddedVoices } from "../../../src/service/config/EmbeddedVoice.ts"
import { containerFor } from "../../../src/domain/manifest/Outputs.ts"
import { type FoundScript, type ManifestEntry, manifestText } from "../../../src/app/init/InitManifest.ts"
import { readManifest } from "../../../src/pipeline/load/ManifestFile.ts"

/** Any name but `__proto__`, which cannot be an object literal's own key. */
const name = fc
  .string({ unit: "grapheme", minLength: 1, maxLength: 20 })
  .filter((text) => text.trim() === text && text !== "" && text !== "__proto__")
const script = fc.record({
  id: fc.stringMatching(/^[a-z0-9][a-z0-9 #'-]{0,20}[a-z0-9]$/u),
  path: name,
  language: fc.option(fc.constantFrom("en", "vi", "pt-BR", "sw"), { nil: undefined }),
  video: fc.option(name, { nil: undefined }),
  speakers: fc.uniqueArray(name, { maxLength: 3 })
})

describe("the manifest that init writes", () => {
  it.prop(
    "is valid for any file and speaker names",
    [fc.array(script), name, fc.boolean()],
    ([found, title, embedded]) => {
      const service = embedded ? ("embedded" as const) : { baseUrl: "https://tts.example" }
      const entries = found.map((script): ManifestEntry => ({ scripts: [script] }))
      const text = manifestText(title, service, entries, (language) =>
        embedded ? embeddedVoices(language)[0] : undefined
      )
      const manifest = Either.getOrThrow(readManifest(text, "dubwright.yaml"))
      expect(manifest.service).toEqual(service)
      expect(manifest.name).toBe(title)
      if (found.length > 0) {
        const { defaults = {} } = manifest
        const settled = manifest.jobs.map((job) => ({ ...defaults, ...job }))
        expect(
          settled.map(({ id, input, video, language }) => ({ id, path: input, video, language }))
        ).toEqual(found.map(({ id, path, video, language }) => ({ id, path, video, language })))
        expect(settled.map(({ outputs }) => outputs)).toEqual(
          found.map(({ video }) =>
            video === undefined ? ["wav", "srt"] : ["wav", containerFor(video), "srt"]
          )
        )
        const { speakers: cast = {} } = typeof manifest.cast === "object" ? manifest.cast : {}
        const written = Object.entries(cast).flatMap(([name, voices]) =>
          Object.entries(voices).map(([language, voice]) => [name, language, voice])
        )
        const heard = found.flatMap(({ language, speakers }) =>
          speakers.map((name) => [name, language ?? "*", embeddedVoices(language)[0]])
        )
        expect(written).toHaveLength(embedded ? new Set(heard.map(([a, b]) => `${a} ${b}`)).size : 0)
        if (embedded) expect(written).toEqual(expect.arrayContaining(heard))
        if (found.length > 1)
          for (const key of ["language", "outputs"] as const) {
            const values = settled.map((job) => JSON.stringify(job[key]))
            if (values[0] !== undefined && new Set(values).size === 1)
              expect(manifest.jobs.filter((job) => key in job)).toEqual([])
          }
      }
    }
  )
})

describe("the manifest that init writes", () => {
  const film: FoundScript = { id: "a", path: "a.vi.srt", language: "vi", video: "a.mkv", speakers: ["ANNA"] }
  const written = (found: ReadonlyArray<FoundScript>, sound: (typeof filmSounds)[number] = "voices") =>
    manifestText(
      "x",
      "embedded",
      found.map((script): ManifestEntry => ({ scripts: [script] })),
      (language, speaker) => embeddedVoices(language)[speaker === "BO" ? 1 : 0],
      sound
    )
  const read = (text: string) => Either.getOrThrow(readManifest(text, "dubwright.yaml"))

  test("keeps the video's container, and one voice per speaker across scripts", () => {
    const other: FoundScript = { ...film, id: "b", path: "b.vi.srt", speakers: ["BO", "ANNA"] }
    const { cast, defaults, jobs } = read(written([film, other]))
    const anna = { provider: "provider_native", voice: "vi-anna" }
    expect(defaults).toEqual({ outputs: ["wav", "mkv", "srt"], language: "vi", original: "keep" })
    expect(cast).toEqual({
      default: { vi: anna },
      speakers: { ANNA: { vi: anna }, BO: { vi: { provider: "provider_native", voice: "vi-bo" } } }
    })
    expect(jobs).toEqual([
      { id: "a", input: "a.vi.srt", video: "a.mkv" },
      { id: "b", input: "b.vi.srt", video: "a.mkv" }
    ])
    expect(["a.mov", "a.MKV", "a.webm", "a.mp4", "a.m4v"].map(containerFor)).toEqual([
      "mov",
      "mkv",
      "webm",
      "mp4",
      "mp4"
    ])
  })

  test("comments out a job in the film's own language, which is valid once uncommented", () => {
    const own: FoundScript = { ...film, id: "a.en", path: "a.en.srt", language: "en", ownLanguage: "eng" }
    const text = written([own, film])
    expect(read(text).jobs.map(({ id }) => id)).toEqual(["a"])
    const uncommented = text.replaceAll(/^ {2}# (?=- id|  )/gmu, "  ")
    expect(read(uncommented).jobs.map(({ id, language }) => [id, language])).toEqual([
      ["a", "vi"],
      ["a.en", "en"]
    ])
  })

  test("sets what plays under the voices", () => {
    expect(
      filmSounds.map((sound) => {
        const { defaults } = read(written([film], sound))
        return [defaults?.original, defaults?.duck]
      })
    ).toEqual([
      ["keep", undefined],
      ["duck", { amount: 12 }],
      ["duck", { amount: 1 }]
    ])
  })
})

describe("the bundled service's voices", () => {
  test("a language's own voices come first, and neighbouring voices differ", () => {
    expect(embeddedVoices("vi").slice(0, 2)).toEqual([
      { provider: "provider_native", voice: "vi-anna" },
      { provider: "provider_native", voice: "vi-bo" }
    ])
    expect(embeddedVoices("en-GB")[0]).toEqual({ provider: "provider_native", voice: "en-anna" })
  })

  test("then multilingual voices, then a low-cost voice", () => {
    expect(embeddedVoices("fr")[0]).toEqual({ provider: "provider_expressive", voice: "aria" })
    expect(embeddedVoices(undefined)[0]).toEqual({ provider: "provider_expressive", voice: "aria" })
    expect(embeddedVoices("sw")[0]).toEqual({ provider: "provider_lowcost", voice: "lc-sw" })
  })
})
