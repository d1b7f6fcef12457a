/**
 * Azure Speech: SSML to `POST /cognitiveservices/v1`.
 *
 * https://learn.microsoft.com/azure/ai-services/speech-service/rest-text-to-speech
 */
import { Effect } from "effect"
import { toneAmong } from "../../domain/values/Tone.ts"
import { SpeechFailed } from "../Engine.ts"
import { primaryLanguage } from "../../domain/values/Ids.ts"
import { cloudRate, pcmSpeech, speechLength } from "./shared/CloudAudio.ts"
import { clamped, type CloudSpeech, makeCloudEngine, rounded } from "./shared/CloudEngine.ts"
import type { CloudReading, CloudRefusal } from "./shared/CloudFailures.ts"
import { settingIn, type CloudOptions, type AzureSettings } from "./shared/CloudSettings.ts"
import { type VoiceFields, voicesIn, withList } from "./shared/CloudVoices.ts"
import { listAt, textAt, textsAt } from "./shared/JsonFields.ts"
import { makeKeyedClient } from "./shared/KeyedClient.ts"
import { prosody, signed, xmlText } from "./shared/Ssml.ts"

/** Azure cuts audio after ten minutes, with status 200. */
const longest = 600_000
/** A limit that stays well below this: about six minutes of speech. Azure itself limits only the audio. */
const maxText = 5_000

export const makeAzureSpeech = Effect.fnUntraced(function* (
  settings: CloudOptions<typeof AzureSettings.Type>
) {
  const { name } = settings
  const region = settings.region ?? (yield* settingIn("AZURE_SPEECH_REGION"))
  const isKnown = settings.baseUrl !== undefined || region !== undefined
  const { client, obstacle } = yield* makeKeyedClient(settings, {
    keyVariable: "AZURE_SPEECH_KEY",
    baseUrl: `https://${encodeURIComponent(region ?? "region")}.tts.speech.microsoft.com`,
    headers: (key) => ({ "Ocp-Apim-Subscription-Key": key }),
    read
  })
  /** The styles of each voice that has any. */
  let styles: ReadonlyMap<string, ReadonlyArray<string>> = new Map()

  return yield* makeCloudEngine(settings, {
    controls: ["rate", "volume", "pitch"],
    model: "azure-speech",
    limit: { unit: "characters-han-double", most: maxText },
    // The free tier allows 20 requests a minute, others 200 a second.
    concurrency: 4,
    obstacle:
      obstacle ??
      (isKnown
        ? undefined
        : "its region is missing; set region in its settings, or the environment variable AZURE_SPEECH_REGION"),
    list: Effect.map(
      client.json({ method: "GET", path: "/cognitiveservices/voices/list" }, withList("")),
      (json) => {
        styles = new Map(
          listAt(json, "").map((voice) => [textAt(voice, "ShortName") ?? "", textsAt(voice, "StyleList")])
        )
        return voicesIn(json, fields)
      }
    ),
    speak: Effect.fnUntraced(function* (wanted) {
      const bytes = yield* client.audio({
        method: "POST",
        path: "/cognitiveservices/v1",
        headers: { "X-Microsoft-OutputFormat": "raw-24khz-16bit-mono-pcm", "User-Agent": "dubwright" },
        body: { type: "application/ssml+xml", text: ssmlOf(wanted, styles.get(wanted.voice.id) ?? []) }
      })
      const speech = yield* pcmSpeech(name, bytes, cloudRate)
      if (speechLength(speech) < longest - 1) return speech
      const detail = "the speech takes more than 10 minutes, where Azure cuts it off; split the text"
      return yield* new SpeechFailed({ engine: name, reason: "too-long", detail })
    })
  })
})

/** Writes the request. A multilingual voice gets the text's language, if it is not the voice's first one. */
const ssmlOf = (
  { text, voice, language, rate, volume, pitch, tone }: CloudSpeech,
  styles: ReadonlyArray<string>
): string => {
  const [first = "en-US"] = voice.languages
  const spoken =
    voice.languages.find((own) => own.toLowerCase() === language.toLowerCase()) ??
    voice.languages.find((own) => primaryLanguage(own) === primaryLanguage(language)) ??
    first
  const shaped = prosody(
    {
      rate: rate === 1 ? undefined : `${signed(Math.round((clamped(rate, 0.5, 2) - 1) * 100))}%`,
      // From 0 to 100, which is the default.
      volume: volume < 1 ? String(rounded(clamped(volume, 0, 1) * 100)) : undefined,
      pitch: pitch === 0 ? undefined : `${signed(rounded(clamped(pitch, -12, 7)))}st`
    },
    xmlText(text)
  )
  const style = toneAmong(tone, styles)
  const inner = spoken === first ? shaped : `<lang xml:lang="${xmlText(spoken)}">${shaped}</lang>`
  const space = style === undefined ? "" : ' xmlns:mstts="https://www.w3.org/2001/mstts"'
  const told =
    style === undefined ? inner : `<mstts:express-as style="${xmlText(style)}">${inner}</mstts:express-as>`
  return `<speak version="1.0" xmlns="http://www.w3.org/2001/10/synthesis"${space} xml:lang="${xmlText(first)}"><voice name="${xmlText(voice.id)}">${told}</voice></speak>`
}

/** A free account that has used its monthly characters gets 403; most errors have no body. */
const read = ({ status, json, text }: CloudRefusal): CloudReading => {
  const message = textAt(json, "error.message")
  return {
    message,
    fault: status === 403 && /quota|call volume/iu.test(message ?? text) ? "quota" : undefined
  }
}

const fields: VoiceFields = {
  list: "",
  id: "ShortName",
  name: "DisplayName",
  languages: (voice) => textsAt(voice, "Locale", "SecondaryLocaleList"),
  gender: "Gender"
}
