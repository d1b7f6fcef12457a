/** A cast gives each speaker a voice by language, once for all jobs; a voice from its pool is kept for a season. */
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { LanguageTag, ProviderId, VoiceId } from "../../../../src/domain/values/Ids.ts"
import { runPlan } from "../../../../src/pipeline/Dub.ts"
import { loadBatch } from "../../../../src/pipeline/load/BatchLoader.ts"
import { type BatchPlan, planBatch } from "../../../../src/pipeline/plan/BatchPlan.ts"
import { poolVoices } from "../../../../src/store/tables/PoolVoices.ts"
import { bundledFfmpeg } from "../../../ffmpeg/binaries.ts"
import { foreignTexts } from "../../../../src/pipeline/plan/ServicePreflight.ts"
import { castNames } from "../../../../src/pipeline/plan/voices/CastPool.ts"
import { embeddedTraits, embeddedVoices } from "../../../../src/service/config/EmbeddedVoice.ts"
import { temporaryFolder } from "../../../hostile/Batch.ts"
import { standIn, stored } from "../../StandIn.ts"

const cues = (...words: ReadonlyArray<string>): string =>
  words.map((said, i) => `${i + 1}\n00:${10 + i}:00,500 --> 00:${10 + i}:02,500\n${said}\n`).join("\n")

const speakers = (...names: ReadonlyArray<string>): string =>
  cues(...[...names, ...names].map((name) => `${name.toUpperCase()}: Is it late?`))

/** The voice of each line, by job. */
const voicesIn = ({ jobs }: BatchPlan) =>
  Object.fromEntries(
    jobs.map(({ job, lines }) => [
      job.id,
      Object.fromEntries(lines.map(({ speaker = "nobody", casting }) => [speaker, casting.voice]))
    ])
  )

const manifest = (cast: unknown, more: object = {}): string =>
  JSON.stringify({
    service: { baseUrl: "http://127.0.0.1:9" },
    defaults: { provider: "provider_fast", outputs: ["srt"] },
    cast,
    jobs: [{ input: "{episode}.{language}.srt", ...more }]
  })

const prepare = Effect.map(temporaryFolder, (folder) => {
  const file = (name: string) => join(folder, name)
  const write = (name: string, text: string) => writeFileSync(file(name), text)
  const state = stored(file(".dubwright"))
  const plan = Effect.gen(function* () {
    const chosen = yield* poolVoices
    return yield* planBatch(
      yield* loadBatch([file("batch.json")], { chosenVoices: () => Effect.succeed(chosen) })
    )
  })
  const faults = plan.pipe(
    Effect.flip,
    Effect.map(({ message }) => message.replaceAll(`${folder}/`, ""))
  )
  return { write, state, plan, faults }
})

it.scopedLive("gives each speaker the voice of the job's language, from a file that manifests share", () =>
  Effect.gen(function* () {
    const { write, state, plan } = yield* prepare
    write(
      "cast.yaml",
      "speakers:\n  Anna: { vi: vi-anna, en: { voice: en-anna, pan: -0.5 } }\n  Bo: { '*': any-bo }\ndefault: { vietnamese: vi-narrator, '*': any-narrator }\n"
    )
    write("batch.json", manifest("cast.yaml", { speakers: { Bo: { pan: 0.25 } } }))
    for (const language of ["vi", "en-GB"])
      write(`E1.${language}.srt`, `${speakers("ANNA", "Bo")}\n9\n00:50:09,000 --> 00:50:09,900\nAnd then?\n`)
    const planned = yield* Effect.provide(plan, [state, bundledFfmpeg])
    expect(voicesIn(planned)).toEqual({
      "E1.vi": { Anna: "vi-anna", Bo: "any-bo", nobody: "vi-narrator" },
      "E1.en-GB": { Anna: "en-anna", Bo: "any-bo", nobody: "any-narrator" }
    })
    expect(planned.jobs.map(({ job }) => job.speakers)).toEqual([
      { Anna: { voice: "en-anna", pan: -0.5 }, Bo: { voice: "any-bo", pan: 0.25 } },
      { Anna: { voice: "vi-anna" }, Bo: { voice: "any-bo", pan: 0.25 } }
    ])
  })
)

it.scopedLive("keeps a speaker's voice from the pool when the pool changes, in later episodes too", () =>
  Effect.gen(function* () {
    const { write, state, plan } = yield* prepare
    const names = ["LENA", "NOAH", "OLGA", "FERRYMAN", "MIA"]
    const pool = ["v1", "v2", "v3"]
    write("batch.json", manifest({ pool: { vi: pool } }))
    write("E1.vi.srt", speakers(...names))
    yield* Effect.gen(function* () {
      const first = yield* plan
      const chosen = voicesIn(first)["E1.vi"] ?? {}
      expect(Object.keys(chosen)).toEqual(names)
      expect(voicesIn(yield* plan)["E1.vi"], "before anything is kept").toEqual(chosen)
      yield* runPlan(first, standIn(0))

      // Voices that every name would prefer to its own come and go in the pool.
      const many = Array.from({ length: 40 }, (_, i) => `new${i}`)
      write("batch.json", manifest({ pool: { vi: [...many, ...pool] } }))
      write("E2.vi.srt", speakers("Mia", "Noah", "Somebody"))
      const later = voicesIn(yield* plan)
      expect(later["E1.vi"]).toEqual(chosen)
      expect(later["E2.vi"]).toMatchObject({ MIA: chosen["MIA"], NOAH: chosen["NOAH"] })

      const lost = chosen["MIA"]
      write("batch.json", manifest({ pool: { vi: pool.filter((voice) => voice !== lost) } }))
      const without = voicesIn(yield* plan)["E1.vi"]
      for (const [name, voice] of Object.entries(chosen))
        if (voice !== lost) expect(without?.[name]).toBe(voice)
        else expect(pool.filter((one) => one !== lost)).toContain(without?.[name])
    }).pipe(Effect.provide([state, bundledFfmpeg]))
  })
)

it.scopedLive("names speakers without a voice, keys that are no language, and a missing cast file", () =>
  Effect.gen(function* () {
    const { write, state, faults } = yield* prepare
    write("E1.vi.srt", speakers("Anna", "Bo"))
    write("batch.json", manifest({ speakers: { Anna: { vi: "vi-anna" }, Bo: { en: "en-bo" } } }))
    yield* Effect.gen(function* () {
      expect(yield* faults).toBe(
        'E1.vi.srt: job E1.vi: no voice for Bo (2 cues); give each a voice under "speakers", or set "voice" as the default'
      )
      write("batch.json", manifest({ speakers: { Anna: { vietnamees: "v" } }, pool: { xx1: ["v"] } }))
      expect(yield* faults).toBe(
        [
          'batch.json: cast.speakers.Anna: expected a language such as en, vi, pt-BR or French, found "vietnamees"; did you mean Vietnamese (vi)?, or * for all other languages',
          'batch.json: cast.pool: expected a language such as en, vi, pt-BR or French, found "xx1", or * for all other languages'
        ].join("\n")
      )
      write("batch.json", manifest("cast.yaml"))
      expect(yield* faults).toBe("cast.yaml: no such file; check the path")
      write("cast.yaml", "speaker: {}\n")
      expect(yield* faults).toContain("cast.yaml:1: ")
    }).pipe(Effect.provide([state, bundledFfmpeg]))
  })
)

it.scopedLive("takes speakers from labels, from a cue sheet, and from the agents of TTML", () =>
  Effect.gen(function* () {
    const { write, state, plan } = yield* prepare
    const ttml = "http://www.w3.org/ns/ttml"
    const said = (at: number, agent: string) =>
      `<p begin="${at}s" end="${at + 2}s" ttm:agent="${agent}">Is it late?</p>`
    write("labels.vi.srt", speakers("Anna", "Bo"))
    write("sheet.vi.srt", cues("Is it late?", "It is.", "Then we wait."))
    write("sheet.csv", "cues,speaker\n1,Anna\n2-3,Bo\n")
    write(
      "agents.vi.ttml",
      `<tt xmlns="${ttml}" xmlns:ttm="${ttml}#metadata"><head><metadata><ttm:agent xml:id="a" type="character"><ttm:name type="alias">Anna</ttm:name></ttm:agent></metadata></head><body><div>${said(1, "a")}${said(4, "Bo")}</div></body></tt>`
    )
    const cast = { speakers: { Anna: { vi: "vi-anna" }, Bo: { vi: "vi-bo" } }, default: { vi: "v" } }
    const jobs = ["labels.vi.srt", "sheet.vi.srt", "agents.vi.ttml"].map((input) => ({
      input,
      language: "vi",
      ...(input === "sheet.vi.srt" ? { sheet: "sheet.csv" } : {})
    }))
    write("batch.json", JSON.stringify({ ...JSON.parse(manifest(cast)), jobs }))
    yield* Effect.gen(function* () {
      const voices = { Anna: "vi-anna", Bo: "vi-bo" }
      expect(voicesIn(yield* plan)).toEqual({ "labels.vi": voices, "sheet.vi": voices, "agents.vi": voices })
    }).pipe(Effect.provide([state, bundledFfmpeg]))
  })
)

it.scopedLive("takes the styles of an ASS file as speakers, unless an event names one", () =>
  Effect.gen(function* () {
    const { write, state, plan } = yield* prepare
    const event = (style: string, name: string) =>
      `Dialogue: 0,0:00:01.00,0:00:03.00,${style},${name},0,0,0,,Is it late?\n`
    write(
      "E1.vi.ass",
      `[Script Info]\nScriptType: v4.00+\n\n[V4+ Styles]\nFormat: Name, Fontname\nStyle: Anna,Arial\nStyle: Bo,Arial\n\n[Events]\nFormat: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text\n${event("Anna", "")}${event("Bo", "")}${event("Bo", "Mia")}`
    )
    write(
      "batch.json",
      manifest(
        {
          speakers: { Anna: { vi: "vi-anna" }, Bo: { vi: "vi-bo" }, Mia: { vi: "vi-mia" } },
          default: { vi: "v" }
        },
        { input: "E1.vi.ass", text: { styleSpeakers: true } }
      )
    )
    yield* Effect.gen(function* () {
      expect(voicesIn(yield* plan)).toEqual({ "E1.vi": { Anna: "vi-anna", Bo: "vi-bo", Mia: "vi-mia" } })
    }).pipe(Effect.provide([state, bundledFfmpeg]))
  })
)

const traitsOf = ({ provider = "", voice = "" }) => embeddedTraits(provider, voice)

it("gives men and women voices of their gender, and every voice before one twice", () => {
  const names = ["MAN", "WOMAN", "GIRL 2", "MRS. LAKE", "KING HENRY", "Mme Ben", "Herr Weber", "ANNA", "BEN"]
  for (const language of ["en", "fr", "vi"]) {
    const pool = embeddedVoices(language)
    const { voices, remarks } = castNames([...names, "KIM"], language, pool, traitsOf)
    const genders = names.map((name) => traitsOf(voices.get(name.toLowerCase()) ?? {})?.gender)
    const [f, m] = ["female", "male"]
    expect(genders).toEqual([m, f, f, f, m, f, m, f, m])
    const used = new Set([...voices.values()].map(({ voice }) => voice))
    expect(used.size).toBe(Math.min(10, pool.length))
    expect(remarks).toEqual([
      `genders guessed from the speakers' names (${language}): male: MAN, KING HENRY, Herr Weber, BEN; ` +
        "female: WOMAN, GIRL 2, MRS. LAKE, Mme Ben, ANNA; unknown: KIM; set other voices under speakers"
    ])
  }
})

it.scopedLive("casts a subtitle without a manifest, the same in every file", () =>
  Effect.gen(function* () {
    const { state } = yield* prepare
    const folder = yield* temporaryFolder
    const named = ["E1.en.srt", "E2.en.srt"].map((name) => join(folder, name))
    const [first = "", second = ""] = named
    writeFileSync(first, speakers("Anna", "Man", "Kim", "Ben"))
    writeFileSync(second, speakers("Ben", "Ben", "Woman", "Anna"))
    const flags = { embedded: true, bundledVoices: embeddedVoices }
    const plan = yield* loadBatch([first, second], flags).pipe(
      Effect.flatMap((batch) => planBatch({ ...batch, traits: Effect.succeed(traitsOf) })),
      Effect.provide([state, bundledFfmpeg])
    )
    const [one = {}, two = {}] = Object.values(voicesIn(plan))
    expect(new Set([...Object.values(one), ...Object.values(two)]).size).toBe(5)
    expect(two).toMatchObject({ BEN: one["BEN"], ANNA: one["ANNA"] })
    expect(plan.batch.remarks).toHaveLength(1)
  })
)

it.scopedLive("rejects text in a language that its voice does not speak", () =>
  Effect.gen(function* () {
    const { state } = yield* prepare
    const input = join(yield* temporaryFolder, "E1.srt")
    const faults = (text: string, flags: object) => {
      writeFileSync(input, cues(...text.split("|")))
      return loadBatch([input], { embedded: true, bundledVoices: embeddedVoices, ...flags }).pipe(
        Effect.flatMap(planBatch),
        Effect.map((plan) => foreignTexts(plan, plan.utterances, traitsOf).map(({ message }) => message)),
        Effect.provide([state, bundledFfmpeg])
      )
    }
    const french =
      "Je ne sais pas où est le livre que vous avez.|C'est dans la maison, mais elle est loin.|Vous et moi."
    const advice = "choose a voice of that language (dubwright voices lists them), or correct language"
    const wrong = [`job E1: voice "vi-anna" speaks vi, and its text is in fr, first in cue 1; ${advice}`]
    const anna = { provider: ProviderId.make("provider_native"), voice: VoiceId.make("vi-anna") }
    expect(yield* faults(french, anna)).toEqual(wrong)
    expect(yield* faults(french, { language: LanguageTag.make("vi") })).toEqual(wrong)
    expect(yield* faults(french, { language: LanguageTag.make("fr") })).toEqual([])
    const short =
      "Pour commencer, je voudrais parler de la maison.|Elle est au bord de la mer, de la mer.|Nous y restons."
    expect(yield* faults(short, anna)).toEqual(wrong)
    const russian = "Я не знаю, где вы были вчера вечером.|Он сказал, что никто не придёт."
    expect(yield* faults(russian, anna)).toEqual([wrong[0]?.replace(" fr,", " Cyrillic letters,")])
    expect(yield* faults("Он сказал: привет!|Tôi không biết.", anna)).toEqual([])
    expect(yield* faults(russian, { language: LanguageTag.make("uk") })).toEqual([])
    expect(yield* faults("Oh no, no, no!|Please, no!|A great idea is a...|No!", anna)).toEqual([])
    expect(
      yield* faults("Tôi không biết những người này là ai.|Taxi!|Một ly cappuccino của anh.", anna)
    ).toEqual([])
  })
)
