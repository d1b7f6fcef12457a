/** Azure's contract: https://learn.microsoft.com/azure/ai-services/speech-service/rest-text-to-speech */
import { makeAzureSpeech } from "../../../../src/engines/cloud/AzureSpeech.ts"
import { bytesOf, json, must, type Provider, tone } from "./StandIn.ts"

const key = "0123456789abcdef0123456789abcdef"
const voice = "vi-VN-HoaiMyNeural"

const listed = [
  {
    Name: "Microsoft Server Speech Text to Speech Voice (vi-VN, HoaiMyNeural)",
    DisplayName: "HoaiMy",
    LocalName: "Hoài My",
    ShortName: voice,
    Gender: "Female",
    Locale: "vi-VN",
    LocaleName: "Vietnamese (Vietnam)",
    SampleRateHertz: "24000",
    VoiceType: "Neural",
    Status: "GA",
    WordsPerMinute: "214"
  },
  {
    DisplayName: "Jenny Multilingual",
    ShortName: "en-US-JennyMultilingualNeural",
    Gender: "Female",
    Locale: "en-US",
    SecondaryLocaleList: ["de-DE", "vi-VN"],
    StyleList: ["cheerful", "whispering"],
    VoiceType: "Neural",
    Status: "GA"
  }
]

const speechIn = (inner: string) =>
  `<speak version="1.0" xmlns="http://www.w3.org/2001/10/synthesis" xml:lang="vi-VN"><voice name="${voice}">${inner}</voice></speak>`

const sound = { status: 200, headers: { "content-type": "audio/basic" }, body: bytesOf(tone(1_200)) }

export const azure: Provider = {
  name: "Azure",
  env: { AZURE_SPEECH_KEY: key, AZURE_SPEECH_REGION: "westeurope" },
  make: makeAzureSpeech,
  isSpeech: ({ path }) => path === "/cognitiveservices/v1",
  answer: ({ method, path, headers, body }, vanished) => {
    must(headers["ocp-apim-subscription-key"] === key, "Ocp-Apim-Subscription-Key is missing or wrong")
    if (path === "/cognitiveservices/voices/list") {
      must(method === "GET" && body === "", "voices are read with GET")
      return json(vanished ? listed.slice(1) : listed)
    }
    must(method === "POST" && path === "/cognitiveservices/v1", "unknown path")
    must(headers["content-type"] === "application/ssml+xml", "content-type is not application/ssml+xml")
    must(headers["x-microsoft-outputformat"] === "raw-24khz-16bit-mono-pcm", "X-Microsoft-OutputFormat")
    must((headers["user-agent"] ?? "") === "dubwright", "User-Agent")
    must(
      /^<speak version="1\.0" xmlns="http:\/\/www\.w3\.org\/2001\/10\/synthesis"(?: xmlns:mstts="https:\/\/www\.w3\.org\/2001\/mstts")? xml:lang="[\w-]+"><voice name="[\w-]+">(?:<mstts:express-as style="[\w-]+">)?(?:<lang xml:lang="[\w-]+">)?(?:<prosody(?: (?:rate|volume|pitch)="[^"<&]+")+>)?(?:[^<>&]|&(?:amp|lt|gt|quot|apos);)+(?:<\/prosody>)?(?:<\/lang>)?(?:<\/mstts:express-as>)?<\/voice><\/speak>$/u.test(
        body
      ),
      `SSML: ${body}`
    )
    return sound
  },
  voices: [voice, "en-US-JennyMultilingualNeural"],
  speech: {
    voice,
    text: 'Cá & <cơm> "ngon"',
    request: { path: "/cognitiveservices/v1", body: speechIn("Cá &amp; &lt;cơm&gt; &quot;ngon&quot;") },
    timing: { words: [], sentences: [] }
  },
  extremes: {
    most: ' rate="+100%" pitch="+7st"',
    least: ' rate="-50%" volume="1" pitch="-12st"',
    in: ({ body }) => /<prosody([^>]*)>/u.exec(body)?.[1]
  },
  longText: "好".repeat(2_501),
  refusals: {
    key: { status: 401, body: "" },
    quota: json(
      { error: { code: "403", message: "Out of call volume quota. Quota will be replenished in 3 days." } },
      403
    ),
    tooLong: { status: 413, body: "" },
    busy: { status: 429, body: "" },
    crashed: { status: 500, body: "" },
    down: { status: 502, body: "" },
    // Azure states no reason: only its list shows that the voice no longer exists.
    gone: { status: 400, body: "", vanish: true },
    truncated: { ...sound, body: sound.body.subarray(0, 1_001) }
  }
}
