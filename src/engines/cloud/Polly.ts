/**
 * Amazon Polly: `POST /v1/speech`, signed with AWS Signature Version 4. Word times need a second request, at the same
 * price as the first.
 *
 * https://docs.aws.amazon.com/polly/latest/dg/API_SynthesizeSpeech.html
 */
import { AwsV4Signer } from "aws4fetch"
import { Clock, Effect, Option, Redacted, Schema } from "effect"
import { behindId3, mp3HeaderAt } from "../../audio/formats/Mp3Header.ts"
import { plainMp3 } from "../../audio/formats/PlainMp3.ts"
import { EngineUnavailable, SpeechFailed } from "../Engine.ts"
import { checkComplete } from "./shared/CloudAudio.ts"
import { type CloudRequest, makeCloudClient, postJson } from "./shared/CloudClient.ts"
import { clamped, type CloudSpeech, makeCloudEngine, rounded } from "./shared/CloudEngine.ts"
import { type CloudReading, type CloudRefusal, faultCodes } from "./shared/CloudFailures.ts"
import { secretIn, settingIn, type CloudOptions, type PollySettings } from "./shared/CloudSettings.ts"
import { timingOf } from "./shared/CloudTiming.ts"
import { pagedVoices, type VoiceFields } from "./shared/CloudVoices.ts"
import { textAt, textsAt } from "./shared/JsonFields.ts"
import { decibels, prosody, signed, xmlText } from "./shared/Ssml.ts"

export const makePolly = Effect.fnUntraced(function* (settings: CloudOptions<typeof PollySettings.Type>) {
  const { name, model = "neural", keyVariable = "AWS_ACCESS_KEY_ID" } = settings
  const id = yield* secretIn(keyVariable)
  const secret = yield* secretIn("AWS_SECRET_ACCESS_KEY")
  const session = yield* secretIn("AWS_SESSION_TOKEN")
  const region =
    settings.region ?? (yield* settingIn("AWS_REGION")) ?? (yield* settingIn("AWS_DEFAULT_REGION"))

  /** Signs a request: the signature covers the address, the time and the body. */
  const authorize = (request: CloudRequest, url: URL) =>
    Effect.flatMap(Clock.currentTimeMillis, (now) =>
      Effect.tryPromise({
        try: async () => {
          const { headers } = await new AwsV4Signer({
            method: request.method,
            url: url.href,
            ...(request.body === undefined ? {} : { body: request.body.text }),
            accessKeyId: Option.match(id, { onNone: () => "", onSome: Redacted.value }),
            secretAccessKey: Option.match(secret, { onNone: () => "", onSome: Redacted.value }),
            ...(Option.isNone(session) ? {} : { sessionToken: Redacted.value(session.value) }),
            service: "polly",
            region: region ?? "",
            datetime: new Date(now).toISOString().replace(/[:-]|\.\d{3}/gu, "")
          }).sign()
          return Object.fromEntries(headers.entries())
        },
        catch: () =>
          new EngineUnavailable({
            engine: name,
            detail:
              "the request cannot be signed with its keys; check AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY"
          })
      })
    )

  const client = yield* makeCloudClient({
    name,
    baseUrl: settings.baseUrl ?? `https://polly.${encodeURIComponent(region ?? "region")}.amazonaws.com`,
    timeout: settings.timeout,
    authorize,
    secrets: [id, secret, session].flatMap(Option.toArray),
    read
  })

  const request = (wanted: CloudSpeech, more: Readonly<Record<string, unknown>>): CloudRequest => {
    const { content, isSsml } = contentOf(wanted, model)
    return postJson("/v1/speech", {
      Engine: model,
      VoiceId: wanted.voice.id,
      Text: content,
      TextType: isSsml ? "ssml" : "text",
      ...more
    })
  }

  return yield* makeCloudEngine(settings, {
    controls: model === "standard" ? ["rate", "volume", "pitch"] : ["rate", "volume"],
    model,
    limit: { unit: "characters", most: 3_000 },
    // Amazon allows eight requests a second, and more for standard voices.
    concurrency: 4,
    obstacle:
      Option.isNone(id) || Option.isNone(secret)
        ? `its keys are missing; set the environment variables ${keyVariable} and AWS_SECRET_ACCESS_KEY`
        : region === undefined
          ? "its region is missing; set region in its settings, or the environment variable AWS_REGION"
          : undefined,
    list: pagedVoices(
      client,
      `/v1/voices?Engine=${model}&IncludeAdditionalLanguageCodes=yes`,
      fields,
      "NextToken",
      (page) => textAt(page, "NextToken")
    ),
    speak: Effect.fnUntraced(function* (wanted) {
      const bytes = yield* client.audio(request(wanted, { OutputFormat: "mp3", SampleRate: "24000" }))
      if (mp3HeaderAt(bytes, behindId3(bytes)) === undefined) {
        const detail = "the provider responded without usable audio: it is not an MP3"
        return yield* new SpeechFailed({ engine: name, reason: "bad-output", detail })
      }
      const spoken = { _tag: "Encoded", bytes, words: [], sentences: [] } as const
      // Generative voices have no times.
      if (settings.wordTimes !== true || model === "generative") return spoken
      const marks = request(wanted, { OutputFormat: "json", SpeechMarkTypes: ["word"] })
      // The audio is already paid for, and usable without times.
      const lines = yield* Effect.orElseSucceed(client.send(marks), () => new Uint8Array())
      const found = marksIn(lines)
      const mp3 = plainMp3(bytes)
      const length = mp3 === undefined ? Infinity : (mp3.length * 1000) / mp3.rate
      yield* checkComplete(name, length, found.at(-1)?.time)
      return { ...spoken, ...timingOf(wanted.text, wanted.language, partsOf(wanted, model, found), length) }
    })
  })
})

/** Returns the text to send: SSML only if a control needs it. */
const contentOf = ({ text, rate, volume, pitch }: CloudSpeech, model: string) => {
  const mark = "\u0000"
  const shaped = prosody(
    {
      rate: rate === 1 ? undefined : `${Math.round(clamped(rate, 0.2, 2) * 100)}%`,
      volume: volume === 1 ? undefined : `${signed(rounded(clamped(decibels(volume), -60, 4)))}dB`,
      pitch:
        pitch === 0 || model !== "standard"
          ? undefined
          : `${signed(Math.round((2 ** (clamped(pitch, -7, 7) / 12) - 1) * 100))}%`
    },
    mark
  )
  if (shaped === mark) return { content: text, isSsml: false, head: "" }
  const [before = "", after = ""] = shaped.split(mark)
  const head = `<speak>${before}`
  return { content: `${head}${xmlText(text)}${after}</speak>`, isSsml: true, head }
}

/** A word's start in ms, and its position in bytes in the sent text, markup included. */
const Mark = Schema.parseJson(
  Schema.Struct({
    time: Schema.Number,
    type: Schema.Literal("word"),
    start: Schema.Number,
    end: Schema.Number
  })
)
const decodeMark = Schema.decodeOption(Mark)

/** Reads the marks: one JSON object a line. */
const marksIn = (lines: Uint8Array): ReadonlyArray<typeof Mark.Type> =>
  new TextDecoder()
    .decode(lines)
    .split("\n")
    .flatMap((line) => Option.toArray(decodeMark(line)))

/** Marks have no end: a word lasts until the next one. The length of the last word is estimated from its letters. */
const partsOf = (wanted: CloudSpeech, model: string, marks: ReadonlyArray<typeof Mark.Type>) => {
  const { head, isSsml } = contentOf(wanted, model)
  const bytes = new TextEncoder()
  const places = new Map<number, number>()
  let byte = bytes.encode(head).length
  let unit = 0
  for (const character of wanted.text) {
    places.set(byte, unit)
    byte += bytes.encode(isSsml ? xmlText(character) : character).length
    unit += character.length
  }
  places.set(byte, unit)
  return marks.flatMap(({ time, start, end }, index) => {
    const [from, to] = [places.get(start), places.get(end)]
    const next = marks[index + 1]?.time
    return from === undefined || to === undefined
      ? []
      : [{ from, to, start: time, end: next ?? time + (to - from) * perLetter }]
  })
}

/** Milliseconds per letter of ordinary speech. */
const perLetter = 70

const codes = faultCodes({
  busy: "ThrottlingException TooManyRequestsException",
  "too-long": "TextLengthExceededException",
  quota: "ServiceQuotaExceededException",
  key:
    "UnrecognizedClientException InvalidSignatureException SignatureDoesNotMatch IncompleteSignature " +
    "AccessDeniedException ExpiredTokenException InvalidClientTokenId",
  crashed: "ServiceFailureException"
})

/** The error's name is in a header, before a colon, or in the body's `__type`, behind a hash sign. */
const read = ({ headers, json }: CloudRefusal): CloudReading => {
  const code = (headers["x-amzn-errortype"] ?? textAt(json, "__type") ?? "").replace(/^.*#|:.*$/gu, "")
  const message = textAt(json, "message") ?? textAt(json, "Message")
  const isVoice = code === "ValidationException" && /'voiceId'/u.test(message ?? "")
  return { code, message, fault: isVoice ? "unknown-voice" : codes.get(code) }
}

const fields: VoiceFields = {
  list: "Voices",
  id: "Id",
  name: "Name",
  languages: (voice) => textsAt(voice, "LanguageCode", "AdditionalLanguageCodes"),
  gender: "Gender"
}
