/** The service's settings file: defaults, validation and error messages. */
import { describe, expect, test } from "vitest"
import { readdirSync, readFileSync } from "node:fs"
import { Either, JSONSchema } from "effect"
import {
  type EngineFacts,
  providerSettings,
  resolveCatalogue
} from "../../src/service/catalogue/CatalogueResolver.ts"
import { knownProviders } from "../../src/domain/speech/ProviderProfile.ts"
import { defaultProviders } from "../../src/service/config/DefaultProviders.ts"
import { ServiceConfig } from "../../src/service/config/ServiceConfig.ts"
import { parseConfig } from "../../src/service/config/ServiceConfigFile.ts"

const problemsIn = (text: string): ReadonlyArray<string> =>
  Either.match(parseConfig(text, "service.yaml"), {
    onLeft: ({ problems }) => problems,
    onRight: () => []
  })

const parsed = (text: string) => Either.getOrThrow(parseConfig(text, "service.yaml"))

const engine = (...ids: ReadonlyArray<string>): EngineFacts => ({
  voices: ids.map((id) => ({ id, name: id, languages: [id] })),
  controls: ["rate", "volume", "pitch"]
})

/** Every voice in the default settings. */
const everything = engine(
  ...new Set(
    Object.values(defaultProviders).flatMap(({ voices }) =>
      typeof voices === "object"
        ? voices.flatMap(({ voice }) => (typeof voice === "string" ? [voice] : Object.values(voice)))
        : []
    )
  )
)

/** The names of all keys in a JSON Schema. */
const keysBelow = (node: unknown): ReadonlyArray<string> =>
  typeof node !== "object" || node === null
    ? []
    : Object.entries(node).flatMap(([name, below]) => [
        ...(name === "properties" ? Object.keys(below) : []),
        ...keysBelow(below)
      ])

describe("the manual's page on the service", () => {
  const page = readFileSync("docs/service.md", "utf8")
  const enginePages = readdirSync("docs/engines").map((name) => readFileSync(`docs/engines/${name}`, "utf8"))

  test("documents every key", () => {
    const keys = new Set(keysBelow(JSONSchema.make(ServiceConfig)))
    expect([...keys].filter((key) => ![page, ...enginePages].join("").includes(`\`${key}\``))).toEqual([])
  })

  test("shows valid settings", () => {
    const blocks = [...page.matchAll(/^```yaml\n([^]*?)^```$/gmu)].map(([, block = ""]) => block)
    expect(blocks.map(problemsIn)).toEqual([[], [], []])
    const offer = resolveCatalogue(parsed(blocks[1] ?? ""), () => everything)
    expect(Either.map(offer, ({ providers }) => [...providers.keys()].at(-1))).toEqual(
      Either.right("provider_piper")
    )
  })

  test("shows valid settings of engines", () => {
    const blocks = [...enginePages.join("").matchAll(/^```yaml\n([^]*?)^```$/gmu)].map(
      ([, block = ""]) => block
    )
    expect(blocks.map(problemsIn)).toEqual(blocks.map(() => []))
    expect(blocks.length).toBeGreaterThan(1)
  })
})

describe("a settings file", () => {
  test("that is empty gives the providers of the interface", () => {
    const offer = Either.getOrThrow(resolveCatalogue(parsed(""), () => everything))
    expect([...offer.providers.keys()]).toEqual(knownProviders)
    expect(offer.providers.get("provider_native")?.features).toEqual({
      transcript: "export_srt",
      srt_input: true,
      min_characters: 100,
      max_characters: 20_000,
      controls: {
        speed: { min: 0.5, max: 2, default: 1 },
        vol: { min: 0.1, max: 2, default: 1 },
        pitch: { min: -12, max: 12, default: 0 }
      }
    })
  })

  test("may hold only comments", () => {
    expect(parsed("# the defaults\n")).toEqual({})
  })

  test("may be JSON", () => {
    expect(parsed('{"audio": {"format": "wav"}}')).toEqual({ audio: { format: "wav" } })
  })

  test.each([
    ["audoi: {}", "1: audoi: unknown key; did you mean audio?"],
    ["audio: { format: ogg }", '1: audio.format: expected one of mp3, wav, found "ogg"'],
    [
      "audio:\n  format: wav\nlimits:\n  queue: 0",
      "4: limits.queue: expected a whole number from 1 to 1000000, found 0"
    ],
    ["limits: { qeue: 5 }", "1: limits.qeue: unknown key; did you mean queue?"],
    [
      "publicUrl: ftp://x",
      '1: publicUrl: expected a URL that starts with http:// or https://, found "ftp://x"'
    ],
    [
      "engines: { a: { kind: espaek } }",
      '1: engines.a.kind: expected one of espeak, flite, sherpa, command, openai, upstream, elevenlabs, azure, google, polly, minimax, cartesia, gemini, found "espaek"; did you mean espeak?'
    ],
    [
      "engines: { a: { kind: flite }, b: { kind: command, args: [] } }",
      '1: engines.b: the key "program" is missing'
    ],
    [
      "engines: { a: { kind: espeak, thread: 2 } }",
      "1: engines.a.thread: unknown key; did you mean threads?"
    ],
    [
      "engines: { a: { kind: openai, baseUrl: 'http://a', model: m, key: s3cret } }",
      "1: engines.a.key: unknown key; name the environment variable that holds the key in keyVariable"
    ],
    ["providers: { p: { voices: [] } }", "1: providers.p.voices: expected at least one"],
    [
      "providers: { p: { voices: [ { id: a b, voice: x } ] } }",
      '1: providers.p.voices[0].id: expected 1 to 80 letters, digits, dots, dashes, plus signs or underscores, found "a b"'
    ],
    ["a: [", "1: invalid YAML or JSON: [ is opened but ] is missing"],
    [
      "# aliases\nlimits: *nothing",
      '2: invalid YAML or JSON: *nothing is an unknown alias; put text that begins with * in quotes: "*nothing"'
    ],
    ["- 1", "1: expected settings: keys with their values"]
  ])("%s is rejected with a reason", (text, said) => {
    expect(problemsIn(text)[0]).toBe(`service.yaml:${said}`)
  })

  test("reports a fault in an engine's settings, and none in its kind", () => {
    expect(
      problemsIn("engines: { a: { kind: sherpa, voices: anna }, b: { kind: azure, region: X } }")
    ).toEqual([
      'service.yaml:1: engines.a.voices: expected a list, found "anna"',
      'service.yaml:1: engines.b.region: expected a region such as westeurope, found "X"'
    ])
  })

  test("reports every problem", () => {
    expect(problemsIn("audio: { format: 1 }\nlimits: { queue: x }\nkeeep: {}").length).toBe(3)
  })
})

describe("the catalogue", () => {
  test("takes a provider's base voices from its engine, with the provider's prefix", () => {
    const config = parsed("providers: { extra: { engine: espeak, voicePrefix: x- } }")
    const offer = Either.getOrThrow(
      resolveCatalogue(config, () => engine(...(everything.voices ?? []).map(({ id }) => id), "vi+f9"))
    )
    const voices = offer.providers.get("extra")?.voices.map(({ wire }) => wire.voice_id) ?? []
    expect(voices).toContain("x-vi")
    expect(voices.filter((id) => id.includes("+"))).toEqual([])
  })

  test("drops default voices and controls that another engine does not support", () => {
    const config = parsed(
      "engines: { mine: { kind: command, program: p, args: [], voices: [ { id: one } ] } }\nproviders: { provider_native: { engine: mine } }"
    )
    expect(providerSettings(config).get("provider_native")?.voices).toBe("all")
    const offer = Either.getOrThrow(
      resolveCatalogue(config, (name) =>
        name === "mine" ? { voices: engine("one").voices, controls: [] } : everything
      )
    )
    const native = offer.providers.get("provider_native")
    expect(native?.voices.map(({ wire }) => wire.voice_id)).toEqual(["provider_native-one"])
    expect(native?.features.controls).toEqual({})
    expect(native?.features.srt_input).toBe(true)
  })

  test("offers a cloud engine's model, price and limit instead of a built-in provider's", () => {
    const config = parsed(
      "providers: { provider_native: { engine: elevenlabs }, provider_fast: { engine: elevenlabs, maxCharacters: 9 } }"
    )
    const defaults = { model: "eleven v3", creditsPerCharacter: 3, maxCharacters: 5_000 }
    const offer = Either.getOrThrow(
      resolveCatalogue(config, (name) =>
        name === "elevenlabs" ? { voices: engine("one").voices, controls: ["rate"], defaults } : everything
      )
    )
    const native = offer.providers.get("provider_native")
    expect(
      native?.models.map(({ wire }) => [wire.model_id, wire.credits_per_character, wire.languages])
    ).toEqual([["eleven-v3", 3, ["one"]]])
    expect(native?.features).toEqual({
      transcript: "export_srt",
      srt_input: true,
      min_characters: 100,
      max_characters: 5_000,
      controls: { speed: { min: 0.5, max: 2, default: 1 } }
    })
    expect([native?.name, native?.description]).toEqual(["Native", ""])
    expect(offer.providers.get("provider_fast")?.features.max_characters).toBe(9)
  })

  test("omits disabled providers", () => {
    const offer = Either.getOrThrow(
      resolveCatalogue(parsed("providers: { provider_fast: { enabled: false } }"), () => everything)
    )
    expect(offer.providers.has("provider_fast")).toBe(false)
  })

  test.each([
    ["providers: { provider_fast: { voices: [ { id: v, voice: nope } ] } }", 'has no voice "nope"'],
    [
      "providers: { provider_fast: { voices: [ { id: vi-anna, voice: vi } ] } }",
      'already has the voice id "vi-anna"'
    ],
    ["providers: { provider_fast: { defaultModel: nope } }", 'unknown model "nope"'],
    ["providers: { provider_fast: { minCharacters: 9000 } }", "more than maxCharacters"]
  ])("rejects %s", (text, said) => {
    const rejected = Either.flip(resolveCatalogue(parsed(text), () => everything))
    expect(Either.getOrThrow(rejected).message).toContain(said)
  })

  test("rejects a control that the engine does not support", () => {
    const config = parsed(
      "providers: { provider_opensource: { controls: { vol: { min: 0, max: 1, default: 1 } } } }"
    )
    const rejected = Either.flip(
      resolveCatalogue(config, (name) =>
        name === "flite" ? { ...everything, controls: ["rate"] } : everything
      )
    )
    expect(Either.getOrThrow(rejected).message).toBe(
      "providers.provider_opensource.controls.vol: engine flite does not support this control; remove it"
    )
  })
})
