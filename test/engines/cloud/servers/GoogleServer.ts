/** Google Cloud TTS's contract: https://cloud.google.com/text-to-speech/docs/reference/rest */
import { millis, SampleRate } from "../../../../src/domain/time/Units.ts"
import { encodeWav16 } from "../../../../src/audio/formats/Wav.ts"
import { fromInt16 } from "../../../../src/audio/pcm/Pcm.ts"
import { makeGoogleSpeech } from "../../../../src/engines/cloud/GoogleSpeech.ts"
import { base64, fieldsIn, json, jsonWith, must, type Provider, tone } from "./StandIn.ts"

const key = "AIza0123456789abcdefghijklmnopqrstuvwxy"
const voice = "vi-VN-Wavenet-A"

const wav = encodeWav16({ rate: SampleRate.make(24_000), samples: fromInt16(tone(1_200)) })

export const googleRefusal = (
  code: number,
  status: string,
  message: string,
  details: ReadonlyArray<unknown> = []
) => json({ error: { code, message, status, details } }, code)

const listed = [
  { languageCodes: ["vi-VN"], name: voice, ssmlGender: "FEMALE", naturalSampleRateHertz: 24_000 },
  {
    languageCodes: ["vi-VN"],
    name: "vi-VN-Chirp3-HD-Kore",
    ssmlGender: "FEMALE",
    naturalSampleRateHertz: 24_000
  },
  { languageCodes: ["en-GB"], name: "en-GB-Standard-B", ssmlGender: "MALE", naturalSampleRateHertz: 24_000 }
]

/** Marks 300 ms apart. The first has no time: a field of zero is left out of JSON. */
const timepointsOf = (ssml: string) =>
  [...ssml.matchAll(/<mark name="(\d+)"\/>/gu)].map(([, markName], index) => ({
    markName,
    ...(index === 0 ? {} : { timeSeconds: index * 0.3 })
  }))

export const google: Provider = {
  name: "Google Cloud",
  env: { GOOGLE_API_KEY: key },
  make: makeGoogleSpeech,
  isSpeech: ({ path }) => path.endsWith("text:synthesize"),
  answer: ({ method, path, headers, body }, vanished) => {
    must(
      headers["x-goog-api-key"] === key || headers["authorization"] === "Bearer ya29.token",
      "neither an API key nor a token"
    )
    must(!path.includes("key="), "the key is in the address")
    if (path === "/v1/voices") {
      must(method === "GET", "voices are read with GET")
      return json({ voices: vanished ? listed.slice(1) : listed })
    }
    must(method === "POST", "speech is created with POST")
    must(path === "/v1/text:synthesize" || path === "/v1beta1/text:synthesize", "unknown path")
    must(headers["content-type"] === "application/json", "content-type is not application/json")
    const isBeta = path.startsWith("/v1beta1/")
    const sent = jsonWith(body, ["input", "voice", "audioConfig", ...(isBeta ? ["enableTimePointing"] : [])])
    const input = jsonWith(JSON.stringify(sent["input"]), [isBeta ? "ssml" : "text"])
    const content = String(input["ssml"] ?? input["text"])
    must(new TextEncoder().encode(content).length <= 5_000, "input is over 5,000 bytes")
    const { languageCode, name } = jsonWith(JSON.stringify(sent["voice"]), ["languageCode", "name"])
    must(String(name).startsWith(String(languageCode)), "voice.languageCode does not fit voice.name")
    must(!isBeta || !String(name).includes("Chirp"), "Chirp voices read no SSML")
    const config = jsonWith(JSON.stringify(sent["audioConfig"]), [
      "audioEncoding",
      "sampleRateHertz",
      "speakingRate",
      "volumeGainDb",
      ...(String(name).includes("Chirp") ? [] : ["pitch"])
    ])
    must(config["audioEncoding"] === "LINEAR16" && config["sampleRateHertz"] === 24_000, "audioConfig")
    return json({
      audioContent: base64(wav),
      ...(isBeta ? { timepoints: timepointsOf(content), audioConfig: config } : {})
    })
  },
  voices: [voice, "vi-VN-Chirp3-HD-Kore", "en-GB-Standard-B"],
  speech: {
    voice,
    text: "Cá & tôm? Ngon.",
    request: {
      path: "/v1beta1/text:synthesize",
      body: {
        input: {
          ssml: '<speak><mark name="0"/>Cá <mark name="1"/>&amp; <mark name="2"/>tôm? <mark name="3"/>Ngon.</speak>'
        },
        voice: { languageCode: "vi-VN", name: voice },
        audioConfig: { audioEncoding: "LINEAR16", sampleRateHertz: 24_000 },
        enableTimePointing: ["SSML_MARK"]
      }
    },
    timing: {
      words: [
        { text: "Cá", start: millis(0), end: millis(300) },
        { text: "&", start: millis(300), end: millis(600) },
        { text: "tôm?", start: millis(600), end: millis(900) },
        { text: "Ngon.", start: millis(900), end: millis(1200) }
      ],
      sentences: [
        { text: "Cá & tôm?", start: millis(0), end: millis(900) },
        { text: "Ngon.", start: millis(900), end: millis(1200) }
      ]
    }
  },
  extremes: {
    most: {
      audioEncoding: "LINEAR16",
      sampleRateHertz: 24_000,
      speakingRate: 2,
      volumeGainDb: 10,
      pitch: 20
    },
    least: {
      audioEncoding: "LINEAR16",
      sampleRateHertz: 24_000,
      speakingRate: 0.25,
      volumeGainDb: -40,
      pitch: -20
    },
    in: ({ body }) => fieldsIn(body)["audioConfig"]
  },
  longText: "đường ".repeat(700),
  refusals: {
    // Google answers a wrong key with 400.
    key: googleRefusal(400, "INVALID_ARGUMENT", `API key not valid: ${key}`, [
      { "@type": "type.googleapis.com/google.rpc.ErrorInfo", reason: "API_KEY_INVALID" }
    ]),
    quota: googleRefusal(403, "PERMISSION_DENIED", "This API method requires billing to be enabled.", [
      { "@type": "type.googleapis.com/google.rpc.ErrorInfo", reason: "BILLING_DISABLED" }
    ]),
    tooLong: googleRefusal(
      400,
      "INVALID_ARGUMENT",
      "Either `input.text` or `input.ssml` is longer than the limit of 5000 bytes."
    ),
    busy: googleRefusal(
      429,
      "RESOURCE_EXHAUSTED",
      "Quota exceeded for quota metric 'All requests' and limit"
    ),
    crashed: googleRefusal(500, "INTERNAL", "Internal error encountered."),
    down: googleRefusal(503, "UNAVAILABLE", "The service is currently unavailable."),
    gone: googleRefusal(400, "INVALID_ARGUMENT", `Voice '${voice}' does not exist. Is it misspelled?`),
    truncated: json({ audioContent: base64(wav.subarray(0, 20_000)) })
  }
}
