/** Utterances of several cues are cut by an alignment of the clip if the service sends no times. */
import { expect, it } from "@effect/vitest"
import { Effect, Option } from "effect"
import { misfitOf } from "../../../src/audio/alignment/SpeechFit.ts"
import { fromInt16 } from "../../../src/audio/pcm/Pcm.ts"
import { splitClip } from "../../../src/audio/speech/ClipSplitting.ts"
import { LanguageTag } from "../../../src/domain/values/Ids.ts"
import { makeSpeechAligner } from "../../../src/engines/local/alignment/SpeechAligner.ts"
import { makeEspeakEngine } from "../../../src/engines/local/EspeakEngine.ts"
import { makeFliteEngine } from "../../../src/engines/local/FliteEngine.ts"
import { clipAligner } from "../../../src/pipeline/clips/ClipIntake.ts"
import { pcm, request } from "../../engines/speech.ts"

/** Voices, and cues that are spoken together. In none of them do pauses alone show where the cues end. */
const utterances: ReadonlyArray<readonly [voice: string, said: ReadonlyArray<string>]> = [
  ["vi", ["Mỗi tối", "ông lão thắp ngọn đèn", "rồi đi xuống bến."]],
  ["cmn", ["你好，我叫 Benjamin Whitfield", "我在 Northern Lighthouse 工作", "每天晚上点灯。"]],
  ["ru", ["Сторож запер дверь", "и спустился к гавани", "не сказав ни слова."]],
  ["be", ["Стары вартаўнік кожны вечар запальвае святло", "і спускаецца ў гавань", "не сказаўшы ні слова."]],
  ["kk", ["Қарт күзетші әр кеш шамды жағады", "содан кейін айлаққа түседі", "бір сөз айтпайды."]],
  ["ar", ["أغلق الحارس الباب", "ثم نزل إلى الميناء", "دون أن يقول كلمة."]],
  [
    "fa",
    [
      "نگهبان پیر هر شب چراغ دریایی را روشن می‌کند،",
      "و سپس از پله‌های سنگی به بندر می‌رود،",
      "بدون اینکه چیزی بگوید."
    ]
  ]
]

it.scopedLive("cuts utterances of several cues in any language, also with many Latin names", () =>
  Effect.gen(function* () {
    const espeak = yield* makeEspeakEngine({ size: 1 })
    const align = yield* clipAligner
    const cuts = yield* Effect.forEach(utterances, ([voice, said]) =>
      Effect.gen(function* () {
        const { rate, samples } = pcm(yield* espeak.speak(request(voice, said.join(" "), { rate: 1.1 })))
        const sound = { rate, samples: fromInt16(samples) }
        const aligned = (yield* align(sound, said, undefined, false))?.parts ?? []
        return [voice, splitClip(sound, said.length, { said, aligned }).cut]
      })
    )
    expect(cuts).toEqual(utterances.map(([voice]) => [voice, "alignment"]))
  })
)

const keeper = "Where are you going with the keys, my friend? We have not seen the light."

/** A job's language, a text of its film, and the language in which it is spoken. */
const films: ReadonlyArray<readonly [job: string | undefined, text: string, spoken: string]> = [
  // Its words look like Swedish.
  ["da", "Den gamle vagt og hans hund var på havnen, men han har det godt.", "da"],
  // The name of a town is written with a letter that Persian has and Arabic lacks.
  ["ar", "أغلق الحارس الباب ثم سافر إلى پاريس.", "ar"],
  ["es", keeper, "en"],
  ["fi", keeper, "en"],
  ["de", "Сторож запер дверь и спустился к гавани.", "ru"],
  [undefined, keeper, "en"]
]

it.scopedLive("aligns a clip in its job's language, or in another one that was spoken instead", () =>
  Effect.gen(function* () {
    const espeak = yield* makeEspeakEngine({ size: 1 })
    const flite = yield* makeFliteEngine({ size: 1 })
    const align = yield* clipAligner
    const aligner = yield* makeSpeechAligner({ size: 1 })
    const results = yield* Effect.forEach(films, ([job, text, spoken]) =>
      Effect.gen(function* () {
        const speech =
          spoken === "en"
            ? flite.speak(request("rms", text))
            : espeak.speak(request(spoken, text, { rate: 1.1 }))
        const { rate, samples } = pcm(yield* speech)
        const sound = { rate, samples: fromInt16(samples) }
        const known = job === undefined ? undefined : LanguageTag.make(job)
        const found = yield* align(sound, [text], known, true)
        const expected = yield* aligner.align({ sound, said: [text], language: spoken })
        return [
          found?.words,
          found && misfitOf(found.fit),
          Option.map(expected, ({ words }) => words)
        ] as const
      })
    )
    for (const [words, misfit, expected] of results) {
      expect(misfit).toBeUndefined()
      expect(Option.some(words)).toEqual(expected)
    }
  })
)
