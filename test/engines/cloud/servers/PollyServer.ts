/** Polly's contract: https://docs.aws.amazon.com/polly/latest/dg/API_SynthesizeSpeech.html */
import { createHash, createHmac } from "node:crypto"
import { millis } from "../../../../src/domain/time/Units.ts"
import { makePolly } from "../../../../src/engines/cloud/Polly.ts"
import { type Call, fieldsIn, json, jsonWith, must, type Provider, type Reply } from "./StandIn.ts"

const keyId = "AKIDEXAMPLE0123456789"
const secret = "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY"
const session = "IQoJb3JpZ2luX2VjEXAMPLE"

const sha = (text: string) => createHash("sha256").update(text).digest("hex")
const mac = (key: string | Buffer, text: string) => createHmac("sha256", key).update(text).digest()

/** Computes the signature of a request again, from the specification of Signature Version 4. */
const signatureOf = ({ method, path, headers, body }: Call, names: string, scope: string): string => {
  const [day = "", region = "", service = "", end = ""] = scope.split("/")
  const [place = "", query = ""] = path.split("?")
  const canonical = [
    method,
    place,
    query.split("&").sort().join("&"),
    ...names.split(";").map((name) => `${name}:${headers[name] ?? ""}`),
    "",
    names,
    sha(body)
  ].join("\n")
  const key = [region, service, end].reduce((last, part) => mac(last, part), mac(`AWS4${secret}`, day))
  return mac(key, ["AWS4-HMAC-SHA256", headers["x-amz-date"], scope, sha(canonical)].join("\n")).toString(
    "hex"
  )
}

const mustBeSigned = (call: Call): void => {
  const authorization = call.headers["authorization"] ?? ""
  const [, id, scope = "", names = "", signature] =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/([^,]+), SignedHeaders=([^,]+), Signature=([0-9a-f]{64})$/u.exec(
      authorization
    ) ?? []
  must(id === keyId, "Credential")
  must(/^\d{8}\/eu-west-1\/polly\/aws4_request$/u.test(scope), `scope ${scope}`)
  must(names.split(";").includes("host") && names.includes("x-amz-security-token"), `SignedHeaders ${names}`)
  must(call.headers["x-amz-security-token"] === session, "x-amz-security-token")
  must(signature === signatureOf(call, names, scope), "the signature does not match")
}

/** Frames of 24 ms of silence: MPEG-2 layer III, 48 kbit/s, 24 kHz, mono. */
const mp3 = (frames: number): Uint8Array => {
  const bytes = new Uint8Array(144 * frames)
  for (let at = 0; at < bytes.length; at += 144) bytes.set([0xff, 0xf3, 0x64, 0xc4], at)
  return bytes
}

const sound = (frames: number): Reply => ({ headers: { "content-type": "audio/mpeg" }, body: mp3(frames) })

const refusal = (status: number, type: string, message: string) =>
  json({ message }, status, { "x-amzn-errortype": `${type}:http://internal.amazon.com/coral/com.amazonaws/` })

/** One mark for each word, 400 ms apart, with the word's byte positions in the sent text. */
const marksOf = (sent: string): string => {
  const plain = sent.replace(/<[^>]*>/gu, (tag) => " ".repeat(tag.length))
  return [...plain.matchAll(/\S+/gu)]
    .map(({ 0: value, index }, order) => {
      const start = Buffer.byteLength(sent.slice(0, index))
      return `${JSON.stringify({ time: order * 400, type: "word", start, end: start + Buffer.byteLength(value), value })}\n`
    })
    .join("")
}

const voices = [
  {
    Id: "Lupe",
    Name: "Lupe",
    Gender: "Female",
    LanguageCode: "es-US",
    LanguageName: "US Spanish",
    AdditionalLanguageCodes: ["en-US"],
    SupportedEngines: ["neural", "standard"]
  },
  { Id: "Matthew", Name: "Matthew", Gender: "Male", LanguageCode: "en-US", SupportedEngines: ["neural"] }
]

const tokens = ["", "page+2/="]

export const polly: Provider = {
  name: "Polly",
  env: {
    AWS_ACCESS_KEY_ID: keyId,
    AWS_SECRET_ACCESS_KEY: secret,
    AWS_SESSION_TOKEN: session,
    AWS_REGION: "eu-west-1"
  },
  make: (settings) => makePolly({ ...settings, wordTimes: true }),
  isSpeech: ({ path, body }) => path === "/v1/speech" && !body.includes("SpeechMarkTypes"),
  answer: (call) => {
    mustBeSigned(call)
    const { method, path, headers, body } = call
    if (path.startsWith("/v1/voices?")) {
      must(method === "GET", "voices are read with GET")
      const query = new URLSearchParams(path.slice(path.indexOf("?")))
      must(query.get("Engine") === "neural", "Engine")
      const page = tokens.indexOf(query.get("NextToken") ?? "")
      must(page >= 0, "NextToken")
      return json({ Voices: voices.slice(page, page + 1), NextToken: tokens[page + 1] ?? null })
    }
    must(method === "POST" && path === "/v1/speech", "unknown path")
    must(headers["content-type"] === "application/json", "content-type is not application/json")
    const fields = ["Engine", "OutputFormat", "SampleRate", "SpeechMarkTypes", "Text", "TextType", "VoiceId"]
    const sent = jsonWith(body, fields)
    const text = String(sent["Text"])
    must(["neural", "standard", "generative"].includes(String(sent["Engine"])), "Engine")
    must(typeof sent["VoiceId"] === "string", "VoiceId")
    must(sent["TextType"] === (text.startsWith("<speak>") ? "ssml" : "text"), "TextType")
    must(sent["Engine"] === "standard" || !text.includes("pitch="), "neural voices have no pitch")
    if (sent["OutputFormat"] === "json") {
      must(JSON.stringify(sent["SpeechMarkTypes"]) === '["word"]', "SpeechMarkTypes")
      must(sent["Engine"] !== "generative", "generative voices have no marks")
      return { headers: { "content-type": "application/x-json-stream" }, body: marksOf(text) }
    }
    must(sent["OutputFormat"] === "mp3" && sent["SampleRate"] === "24000", "OutputFormat or SampleRate")
    return sound(60)
  },
  voices: ["Lupe", "Matthew"],
  speech: {
    voice: "Lupe",
    text: "¿Qué tal? Bien.",
    request: {
      path: "/v1/speech",
      body: {
        Engine: "neural",
        VoiceId: "Lupe",
        Text: "¿Qué tal? Bien.",
        TextType: "text",
        OutputFormat: "mp3",
        SampleRate: "24000"
      }
    },
    timing: {
      words: [
        { text: "¿Qué", start: millis(0), end: millis(400) },
        { text: "tal?", start: millis(400), end: millis(800) },
        { text: "Bien.", start: millis(800), end: millis(1150) }
      ],
      sentences: [
        { text: "¿Qué tal?", start: millis(0), end: millis(800) },
        { text: "Bien.", start: millis(800), end: millis(1150) }
      ]
    }
  },
  extremes: {
    most: '<speak><prosody rate="200%" volume="+4dB">¿Qué tal? Bien.</prosody></speak>',
    least: '<speak><prosody rate="20%" volume="-40dB">¿Qué tal? Bien.</prosody></speak>',
    in: ({ body }) => fieldsIn(body)["Text"]
  },
  longText: "palabra ".repeat(400),
  refusals: {
    key: refusal(403, "UnrecognizedClientException", `The security token ${session} is invalid.`),
    quota: refusal(402, "ServiceQuotaExceededException", "The request would exceed a quota."),
    tooLong: refusal(400, "TextLengthExceededException", "Maximum text length has been exceeded"),
    // Too many requests have status 400.
    busy: refusal(400, "ThrottlingException", "Rate exceeded"),
    crashed: refusal(500, "ServiceFailureException", "An unknown condition has caused a service failure."),
    down: { status: 503, body: "" },
    gone: refusal(
      400,
      "ValidationException",
      "1 validation error detected: Value 'Lupe' at 'voiceId' failed to satisfy constraint: Member must satisfy enum value set"
    ),
    truncated: sound(12)
  }
}
