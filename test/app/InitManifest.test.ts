import { it } from "@effect/vitest"
import { Either, FastCheck as fc } from "effect"
import { describe, expect, test } from "vitest"
import { embeddedVoice } from "../../src/app/EmbeddedVoice.ts"
import { manifestText } from "../../src/app/InitManifest.ts"
import { readManifest } from "../../src/pipeline/ManifestFile.ts"

/** Anything but the one key that no JavaScript object can hold as its own. */
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
    "is one that run takes, whatever the files and speakers are called",
    [fc.array(script), name, fc.boolean()],
    ([found, title, embedded]) => {
      const service = embedded ? ("embedded" as const) : { baseUrl: "https://tts.example" }
      const text = manifestText(title, service, found, (language, position) =>
        embedded ? embeddedVoice(language, position) : undefined
      )
      const manifest = Either.getOrThrow(readManifest(text, "dubwright.yaml"))
      expect(manifest.service).toEqual(service)
      expect(manifest.name).toBe(title)
      if (found.length > 0) {
        expect(
          manifest.jobs.map(({ id, input, video, language }) => ({ id, path: input, video, language }))
        ).toEqual(found.map(({ id, path, video, language }) => ({ id, path, video, language })))
        expect(manifest.jobs.map(({ speakers }) => Object.keys(speakers ?? {}).sort())).toEqual(
          found.map(({ speakers }) => (embedded ? [...speakers].sort() : []))
        )
      }
    }
  )
})

describe("the bundled service's voices", () => {
  test("a language's own come first, and neighbours sound different", () => {
    expect([0, 1].map((position) => embeddedVoice("vi", position))).toEqual([
      { provider: "provider_native", voice: "vi-anna" },
      { provider: "provider_native", voice: "vi-bo" }
    ])
    expect(embeddedVoice("en-GB")).toEqual({ provider: "provider_native", voice: "en-anna" })
  })

  test("then the multilingual ones, then a plain voice", () => {
    expect(embeddedVoice("fr")).toEqual({ provider: "provider_expressive", voice: "aria" })
    expect(embeddedVoice(undefined)).toEqual({ provider: "provider_expressive", voice: "aria" })
    expect(embeddedVoice("sw")).toEqual({ provider: "provider_lowcost", voice: "lc-sw" })
  })
})
