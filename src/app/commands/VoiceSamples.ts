/** The command `voices try`: speaks one text with several voices, and writes a page with a player for each. */
import { Path } from "@effect/platform"
import { Array, Clock, Effect, Either } from "effect"
import type { Voice } from "../../contract/ProviderCatalogue.ts"
import { nearestName } from "../../domain/values/DidYouMean.ts"
import { Casting } from "../../domain/speech/Casting.ts"
import { profileOf } from "../../domain/speech/ProviderProfile.ts"
import { makeUtterance } from "../../domain/speech/Utterance.ts"
import { bundledService } from "../../library/layers/BundledService.ts"
import { primaryLanguage, ProviderId, VoiceId } from "../../domain/values/Ids.ts"
import { Gateway } from "../../gateway/Gateway.ts"
import { composeCreate } from "../../gateway/requests/NamedCreate.ts"
import { pollPlan, pollUntilSettled } from "../../gateway/requests/Polling.ts"
import { builtParts } from "../../pages/documents/BuiltParts.ts"
import { type VoiceSample, voiceSamplesPage } from "../../pages/documents/VoiceSamplesPage.ts"
import { extensionOf } from "../../pipeline/clips/AudioFormatDetection.ts"
import { writeResult } from "../../pipeline/report/ResultFolder.ts"
import { makeFolder } from "../../system/Folder.ts"
import { allPages } from "../layers/Pagination.ts"
import { badUsage, CommandEnded, exitCodes } from "../ExitCodes.ts"
import { chosenService, readingFrom, type ServiceFlags } from "../layers/GatewayLayer.ts"
import { Screen } from "../terminal/Screen.ts"

interface SampleOptions extends ServiceFlags {
  readonly voices: ReadonlyArray<string>
  readonly language: string | undefined
  readonly text: string | undefined
  readonly out: string
}

/** Voices to speak with if none are named. */
const usualCount = 12

const unwritable = (folder: string, cause: unknown) =>
  badUsage(`${folder}: cannot be created (${String(cause)}); choose another folder with --out`)

/** Voices spoken at once. */
const concurrency = 2

export const tryVoicesCommand = Effect.fn("VoiceSamples.tryVoicesCommand")(function* (
  options: SampleOptions
) {
  const screen = yield* Screen
  const service = yield* chosenService(options)
  if (service !== "embedded" && options.voices.length === 0)
    return yield* badUsage(
      "name the voices to try, because each sample costs credits; dubwright voices lists them"
    )
  const unusable = service === "embedded" ? yield* (yield* bundledService).local.unusable : undefined
  const [fault] = options.voices.flatMap((voice) => unusable?.get(voice) ?? [])
  if (fault !== undefined) return yield* badUsage(fault)
  return yield* Effect.gen(function* () {
    const chosen = choose(yield* allVoices, options)
    if (Either.isLeft(chosen)) return yield* badUsage(chosen.left)
    const { voices, text } = chosen.right
    const folder = (yield* Path.Path).resolve(options.out)
    yield* Effect.try({ try: () => makeFolder(folder), catch: (cause) => unwritable(folder, cause) })
    const samples = yield* Effect.forEach(voices, (voice) => sampleOf(voice, text, folder), { concurrency })
    const page = `${folder}/index.html`
    yield* writeResult(page, voiceSamplesPage(samples, text, options.language, builtParts.plan).pieces())
    yield* screen.result(page)
    const failed = samples.flatMap(({ voice, result }) =>
      "error" in result ? [`${voice}: ${result.error}`] : []
    )
    if (failed.length > 0)
      return yield* new CommandEnded({ code: exitCodes.failed, message: failed.join("\n") })
  }).pipe(Effect.provide(readingFrom(options)))
})

const allVoices = Effect.gen(function* () {
  const { reads } = yield* Gateway
  return yield* allPages(
    (page) => Effect.map(reads.voices({ page, limit: 100 }), ({ voices }) => voices),
    ({ provider, voice_id }) => `${provider}/${voice_id}`,
    Number.POSITIVE_INFINITY
  )
})

/** Returns the voices and the text to speak, or the fault of the options. */
const choose = (all: ReadonlyArray<Voice>, { voices: names, language, text }: SampleOptions) => {
  const isOf = (wanted: string) => (voice: Voice) =>
    voice.languages.some((tag) => primaryLanguage(tag) === primaryLanguage(wanted))
  const unknown = names.find((name) => !all.some(({ voice_id }) => voice_id === name))
  if (unknown !== undefined) {
    const near = nearestName(
      unknown,
      all.map(({ voice_id }) => voice_id)
    )
    return Either.left(
      `the service has no voice "${unknown}"${near === undefined ? "" : `; did you mean ${near}?`} (dubwright voices lists all)`
    )
  }
  const named = all.filter(({ voice_id }) => names.includes(voice_id))
  const spoken = language ?? named.find(({ languages }) => languages.length === 1)?.languages[0] ?? "en"
  const voices = names.length > 0 ? named : spread(all.filter(isOf(spoken)))
  if (voices.length === 0)
    return Either.left(`the service has no voice for the language ${spoken}; dubwright voices lists all`)
  const said = text ?? sampleTexts[primaryLanguage(spoken)]
  return said === undefined
    ? Either.left(`there is no sample text for the language ${spoken}; give one with --text`)
    : Either.right({ voices, text: said })
}

/** Takes voices of each provider in turn. */
const spread = (voices: ReadonlyArray<Voice>): ReadonlyArray<Voice> => {
  const turns = Object.values(Array.groupBy(voices, ({ provider }) => provider))
  return voices
    .map((_, turn) => turns.flatMap((own) => own[turn] ?? []))
    .flat()
    .slice(0, usualCount)
}

/** Speaks one sample and stores its audio. */
const sampleOf = (voice: Voice, text: string, folder: string) =>
  Effect.gen(function* () {
    const gateway = yield* Gateway
    const provider = ProviderId.make(voice.provider)
    const casting = Casting.make({ provider, voice: VoiceId.make(voice.voice_id) })
    const utterance = makeUtterance(casting, "text", text, [text])
    const { task } = yield* gateway.submit(
      composeCreate(utterance, `sample of ${voice.voice_id}`, profileOf(provider))
    )
    const { done } = yield* pollUntilSettled(
      gateway.look(task),
      task,
      pollPlan(undefined, utterance.characters),
      yield* Clock.currentTimeMillis
    )
    const { audio } = yield* gateway.fetch(done, utterance.characters)
    const file = `${voice.voice_id}.${extensionOf(audio)}`
    yield* writeResult(`${folder}/${file}`, audio)
    return { file }
  }).pipe(
    Effect.catchAll((fault) => Effect.succeed({ error: fault.message })),
    Effect.map((result): VoiceSample => ({
      provider: voice.provider,
      voice: voice.voice_id,
      name: voice.name,
      languages: voice.languages,
      result
    }))
  )

/**
 * The sentences that `voices try` speaks, by language. Each has at least 100 characters, which some providers require.
 */
const sampleTexts: Readonly<Record<string, string>> = {
  de: "Am Abend des 14. Mai lief sie die lange Treppe hinunter und rief: „Wartet auf mich!“ Dann war es wieder still im Haus.",
  en: "On the evening of May 14 she ran down the long stairs and called out: “Wait for me!” Then the house was quiet again.",
  es: "La tarde del 14 de mayo bajó corriendo la larga escalera y gritó: «¡Esperadme!». Después, la casa quedó otra vez en silencio.",
  fr: "Le soir du 14 mai, elle descendit le long escalier en courant et cria : « Attendez-moi ! » Puis la maison redevint calme.",
  id: "Pada malam tanggal 14 Mei dia berlari menuruni tangga yang panjang dan berseru: “Tunggu aku!” Lalu rumah itu sepi kembali.",
  it: "La sera del 14 maggio scese di corsa la lunga scala e gridò: «Aspettatemi!» Poi la casa tornò di nuovo silenziosa e buia.",
  nl: "Op de avond van 14 mei rende ze de lange trap af en riep: ‘Wacht op mij!’ Daarna was het weer helemaal stil in het huis.",
  pl: "Wieczorem 14 maja zbiegła po długich schodach i zawołała: „Zaczekajcie na mnie!” Potem w domu znów zrobiło się cicho.",
  pt: "Na noite de 14 de maio, ela desceu correndo a longa escada e gritou: “Esperem por mim!” Depois a casa ficou em silêncio.",
  ru: "Вечером 14 мая она сбежала вниз по длинной лестнице и крикнула: «Подождите меня!» Потом в доме снова стало совсем тихо.",
  sv: "På kvällen den 14 maj sprang hon nerför den långa trappan och ropade: ”Vänta på mig!” Sedan blev det åter tyst i huset.",
  tr: "14 Mayıs akşamı uzun merdivenden koşarak indi ve bağırdı: “Beni bekleyin!” Sonra ev yeniden derin bir sessizliğe gömüldü.",
  uk: "Увечері 14 травня вона збігла вниз довгими сходами й гукнула: «Зачекайте на мене!» Потім у домі знову стало зовсім тихо.",
  vi: "Tối ngày 14 tháng 5, cô chạy xuống chiếc cầu thang dài và gọi to: “Chờ tôi với!” Rồi cả ngôi nhà lại chìm trong yên lặng."
}
