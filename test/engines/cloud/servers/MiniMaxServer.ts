/** MiniMax's contract: https://platform.minimax.io/docs/api-reference/speech-t2a-http */
import { makeMiniMax } from "../../../../src/engines/cloud/MiniMax.ts"
import { bytesOf, fieldsIn, json, jsonWith, must, type Provider, tone } from "./StandIn.ts"

const key = "eyJhbGciOiJSUzI1NiIsEXAMPLE"
const voice = "Vietnamese_kindhearted_girl"

/** Errors have status 200. */
const refusal = (status_code: number, status_msg: string) => json({ base_resp: { status_code, status_msg } })

const spoken = (audible: number) =>
  json({
    data: { audio: Buffer.from(bytesOf(tone(audible))).toString("hex"), status: 2 },
    extra_info: { audio_length: 1_200, audio_sample_rate: 24_000, usage_characters: 15, audio_format: "pcm" },
    trace_id: "01b8bf9bb7433cc75c18eee6cfa8fe21",
    base_resp: { status_code: 0, status_msg: "success" }
  })

export const miniMax: Provider = {
  name: "MiniMax",
  env: { MINIMAX_API_KEY: key },
  make: (settings) => makeMiniMax({ ...settings, groupId: "17" }),
  isSpeech: ({ path }) => path.startsWith("/v1/t2a_v2"),
  answer: ({ method, path, headers, body }, vanished) => {
    must(headers["authorization"] === `Bearer ${key}`, "Authorization is missing or wrong")
    must(method === "POST" && headers["content-type"] === "application/json", "JSON by POST")
    if (path === "/v1/get_voice?GroupId=17") {
      must(jsonWith(body, ["voice_type"])["voice_type"] === "all", "voice_type")
      const system_voice = [
        { voice_id: voice, voice_name: "Kind-hearted Girl", description: [] },
        {
          voice_id: "Chinese (Mandarin)_Reliable_Executive",
          voice_name: "Reliable Executive",
          description: []
        }
      ]
      return json({
        system_voice: vanished ? system_voice.slice(1) : system_voice,
        voice_cloning: [{ voice_id: "my-clone", description: [], created_time: "1970-01-01" }],
        voice_generation: null,
        base_resp: { status_code: 0, status_msg: "success" }
      })
    }
    must(path === "/v1/t2a_v2?GroupId=17", "unknown path")
    const sent = jsonWith(body, [
      "model",
      "text",
      "stream",
      "language_boost",
      "voice_setting",
      "audio_setting"
    ])
    must(String(sent["text"]).length < 10_000 && sent["stream"] === false, "text or stream")
    const {
      speed,
      vol,
      pitch,
      emotion = "happy"
    } = jsonWith(JSON.stringify(sent["voice_setting"]), ["voice_id", "emotion", "speed", "vol", "pitch"])
    must(/^(?:happy|sad|angry|fearful|disgusted|surprised)$/u.test(String(emotion)), "emotion")
    must(Number(speed) >= 0.5 && Number(speed) <= 2, "speed")
    must(Number(vol) > 0 && Number(vol) <= 10, "vol")
    must(Number.isInteger(pitch) && Math.abs(Number(pitch)) <= 12, "pitch")
    return spoken(1_200)
  },
  voices: [voice, "Chinese (Mandarin)_Reliable_Executive", "my-clone"],
  speech: {
    voice,
    text: "Một <#0.5#> hai.",
    request: {
      path: "/v1/t2a_v2?GroupId=17",
      body: {
        model: "speech-2.8-hd",
        text: "Một <#0.5#> hai.",
        stream: false,
        language_boost: "Vietnamese",
        voice_setting: { voice_id: voice, speed: 1, vol: 1, pitch: 0 },
        audio_setting: { sample_rate: 24_000, format: "pcm", channel: 1 }
      }
    },
    timing: { words: [], sentences: [] }
  },
  extremes: {
    most: { voice_id: voice, speed: 2, vol: 9, pitch: 12 },
    least: { voice_id: voice, speed: 0.5, vol: 0.01, pitch: -12 },
    in: ({ body }) => fieldsIn(body)["voice_setting"]
  },
  longText: "một hai ".repeat(1_300),
  refusals: {
    key: refusal(1004, `login fail: ${key} is not an API key`),
    quota: refusal(1008, "insufficient balance"),
    tooLong: refusal(2013, "invalid params, text length exceeds the limit"),
    busy: refusal(1002, "rate limit"),
    crashed: refusal(1033, "system error"),
    down: { status: 502, body: "" },
    gone: refusal(2013, "invalid params, voice id not exist"),
    truncated: spoken(600)
  }
}
