/** Gemini's contract: https://ai.google.dev/gemini-api/docs/speech-generation */
import { makeGemini } from "../../../../src/engines/cloud/Gemini.ts"
import { googleRefusal } from "./GoogleServer.ts"
import { base64, bytesOf, fieldsIn, json, jsonWith, must, type Provider, tone } from "./StandIn.ts"

const key = "AIzaGemini0123456789abcdefghijklmnopqrs"
const model = "gemini-3.8-flash-tts"
const names =
  "Zephyr Puck Charon Kore Fenrir Leda Orus Aoede Callirrhoe Autonoe Enceladus Iapetus Umbriel Algieba Despina Erinome Algenib Rasalgethi Laomedeia Achernar Alnilam Schedar Gacrux Pulcherrima Achird Zubenelgenubi Vindemiatrix Sadachbia Sadaltager Sulafat".split(
    " "
  )

export const candidate = (finishReason: string, parts: ReadonlyArray<unknown>) =>
  json({
    candidates: [{ content: { parts, role: "model" }, finishReason, index: 0 }],
    usageMetadata: { promptTokenCount: 7, candidatesTokenCount: 30 }
  })

const audio = (ms: number) => ({
  inlineData: { mimeType: "audio/L16;codec=pcm;rate=24000", data: base64(bytesOf(tone(ms))) }
})

export const gemini: Provider = {
  name: "Gemini",
  env: { GEMINI_API_KEY: key },
  make: (settings) => makeGemini({ ...settings, style: "calm, as a narrator" }),
  isSpeech: ({ path }) => path.endsWith(":generateContent"),
  answer: ({ method, path, headers, body }) => {
    must(headers["x-goog-api-key"] === key && !path.includes("key="), "x-goog-api-key is missing or wrong")
    if (path === `/v1beta/models/${model}`) {
      must(method === "GET", "a model is read with GET")
      return json({ name: `models/${model}`, supportedGenerationMethods: ["generateContent"] })
    }
    must(method === "POST" && path === `/v1beta/models/${model}:generateContent`, "unknown path")
    must(headers["content-type"] === "application/json", "content-type is not application/json")
    const sent = jsonWith(body, ["contents", "generationConfig"])
    const config = jsonWith(JSON.stringify(sent["generationConfig"]), ["responseModalities", "speechConfig"])
    must(JSON.stringify(config["responseModalities"]) === '["AUDIO"]', "responseModalities")
    const voice = /"voiceName":"(\w+)"/u.exec(JSON.stringify(config["speechConfig"]))?.[1] ?? ""
    must(names.includes(voice), `voiceName ${voice}`)
    return candidate("STOP", [audio(700), audio(500)])
  },
  voices: names,
  speech: {
    voice: "Kore",
    text: "Xin chào!",
    request: {
      path: `/v1beta/models/${model}:generateContent`,
      body: {
        contents: [
          {
            role: "user",
            parts: [{ text: "Xin chào!", speechMetadata: { style: "calm, as a narrator" } }]
          }
        ],
        generationConfig: {
          responseModalities: ["AUDIO"],
          speechConfig: { voiceConfig: { prebuiltVoiceConfig: { voiceName: "Kore" } } }
        }
      }
    },
    timing: { words: [], sentences: [] }
  },
  // Gemini has no controls.
  extremes: { most: undefined, least: undefined, in: ({ body }) => fieldsIn(body)["speed"] },
  longText: "đường ".repeat(600),
  refusals: {
    key: googleRefusal(400, "INVALID_ARGUMENT", `API key not valid: ${key}`, [{ reason: "API_KEY_INVALID" }]),
    quota: googleRefusal(
      429,
      "RESOURCE_EXHAUSTED",
      "You exceeded your current quota, please check your plan",
      [{ violations: [{ quotaId: "GenerateRequestsPerDayPerProjectPerModel-FreeTier", quotaValue: "100" }] }]
    ),
    tooLong: googleRefusal(
      400,
      "INVALID_ARGUMENT",
      "The input token count (9000) exceeds the maximum of 8192."
    ),
    busy: googleRefusal(429, "RESOURCE_EXHAUSTED", "Quota exceeded for requests per minute", [
      { violations: [{ quotaId: "GenerateRequestsPerMinutePerProjectPerModel" }] }
    ]),
    crashed: googleRefusal(500, "INTERNAL", "An internal error has occurred."),
    down: googleRefusal(503, "UNAVAILABLE", "The model is overloaded."),
    gone: googleRefusal(400, "INVALID_ARGUMENT", "Voice name Kore is not supported."),
    truncated: candidate("MAX_TOKENS", [audio(700)])
  }
}
