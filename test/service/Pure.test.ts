/** Pure functions of the service: byte ranges, language detection, voice search, paths. */
import { Headers, HttpServerRequest } from "@effect/platform"
import { SqlError } from "@effect/sql/SqlError"
import { describe, expect, it } from "@effect/vitest"
import Sqlite from "better-sqlite3"
import { Cause, Effect, FastCheck as fc, Logger, Option } from "effect"
import { clientAddress, proxyList } from "../../src/service/http/KeyAuthentication.ts"
import { rangeOf } from "../../src/service/http/FileResponse.ts"
import { languageOf } from "../../src/script/language/LanguageGuess.ts"
import { methodsOf, patternOf } from "../../src/service/http/RoutePatterns.ts"
import { errorResponseFor } from "../../src/service/http/ErrorResponse.ts"
import { searchVoices } from "../../src/service/catalogue/VoiceSearch.ts"

describe("rangeOf", () => {
  it.each([
    ["bytes=0-0", { from: 0, to: 0 }],
    ["bytes=10-", { from: 10, to: 99 }],
    ["bytes=-10", { from: 90, to: 99 }],
    ["bytes=-1000", { from: 0, to: 99 }],
    ["bytes=90-1000", { from: 90, to: 99 }],
    ["bytes=100-", "beyond"],
    ["bytes=-0", "beyond"],
    ["bytes=5-4", "whole"],
    ["bytes=0-1,5-6", "whole"],
    ["bytes=-", "whole"],
    ["lines=1-2", "whole"],
    ["bytes=a-b", "whole"],
    [undefined, "whole"]
  ])("%s of 100 bytes", (header, expected) => {
    expect(rangeOf(header, 100)).toEqual(expected)
  })

  it.prop(
    "stays inside the file",
    [fc.string(), fc.nat(), fc.nat(), fc.nat({ max: 1_000 })],
    ([junk, a, b, size]) => {
      for (const header of [junk, `bytes=${a}-${b}`, `bytes=-${b}`, `bytes=${a}-`]) {
        const range = rangeOf(header, size)
        if (typeof range === "object") {
          expect(range.from).toBeLessThanOrEqual(range.to)
          expect(range.from).toBeGreaterThanOrEqual(0)
          expect(range.to).toBeLessThan(size)
        }
      }
    }
  )
})

describe("languageOf", () => {
  const all = [
    "en",
    "vi",
    "es",
    "fr",
    "de",
    "it",
    "pt",
    "nl",
    "pl",
    "ru",
    "uk",
    "el",
    "ar",
    "he",
    "hi",
    "th",
    "ja",
    "ko",
    "zh"
  ]
  it.each([
    ["Where is the station, and when does it open?", "en"],
    ["Hôm nay trời đẹp quá, chúng ta đi chơi nhé.", "vi"],
    ["¿Dónde está la estación de tren?", "es"],
    ["Où est la gare, s'il vous plaît ?", "fr"],
    ["Wo ist der Bahnhof, und wann fährt der Zug?", "de"],
    ["Dove è la stazione, e che ora è?", "it"],
    ["Onde é que está a estação? Não sei.", "pt"],
    ["Waar is het station en hoe laat gaat de trein?", "nl"],
    ["Gdzie jest dworzec? Nie wiem, ale się dowiem.", "pl"],
    ["Где находится вокзал?", "ru"],
    ["Де знаходиться вокзал? Я не знаю, але є мапа.", "uk"],
    ["Πού είναι ο σταθμός;", "el"],
    ["أين المحطة؟", "ar"],
    ["איפה התחנה?", "he"],
    ["स्टेशन कहाँ है?", "hi"],
    ["สถานีอยู่ที่ไหน", "th"],
    ["駅はどこですか。", "ja"],
    ["역이 어디에 있습니까?", "ko"],
    ["车站在哪里?", "zh"],
    ["你好，我叫 Benjamin Whitfield，我在 Northern Lighthouse 工作。", "zh"],
    ["Он сказал: Don't panic", "ru"],
    ["The letters π and Ω are Greek, and the rest is not.", "en"],
    ["42", "en"],
    ["", "en"]
  ])("%s", (text, language) => {
    expect(languageOf(text, all)).toBe(language)
  })

  it.prop("is always one of the offered languages", [fc.string({ unit: "grapheme" })], ([text]) => {
    expect(["vi", "en"]).toContain(languageOf(text, ["vi", "en"]))
  })
})

describe("searchVoices", () => {
  const voice = (id: string, name: string, language: string) => ({
    wire: { voice_id: id, name, provider: "p", languages: [language], description: "A low voice." },
    behind: [id],
    speakerOf: () => ({ voice: id }),
    rate: 1,
    pitch: 0,
    volume: 1
  })
  const voices = [voice("vi-hue", "Huệ", "vi"), voice("en-bo", "Bo", "en-US")]
  it.each([
    ["hue", ["vi-hue"]],
    ["HUỆ", ["vi-hue"]],
    ["vietnamese", ["vi-hue"]],
    ["low english", ["en-bo"]],
    ["nobody", []],
    [" ", ["vi-hue", "en-bo"]],
    [undefined, ["vi-hue", "en-bo"]]
  ])("%s", (search, ids) => {
    expect(searchVoices(voices, undefined, search).map(({ voice_id }) => voice_id)).toEqual(ids)
    expect(searchVoices(voices, "other", search)).toEqual([])
  })
})

describe("Paths", () => {
  it("know patterns and methods", () => {
    expect(patternOf("/v1/task/abc")).toBe("/v1/task/:task_id")
    expect(patternOf("/v1/nothing")).toBe("other")
    expect(methodsOf("/v1/tasks")).toEqual(["GET", "HEAD"])
    expect(methodsOf("/v1/text-to-speech/x")).toEqual(["POST"])
    expect(methodsOf("/")).toEqual([])
  })
})

it.effect("reports a full disk that only the database has noticed as disk_full", () =>
  Effect.gen(function* () {
    const cause = new Sqlite.SqliteError("database or disk is full", "SQLITE_FULL")
    const answer = yield* errorResponseFor(
      Cause.die(new SqlError({ cause, message: "Failed to execute statement" }))
    )
    expect([answer.status, answer.headers["retry-after"]]).toEqual([503, "60"])
  }).pipe(
    Effect.provideService(
      HttpServerRequest.HttpServerRequest,
      HttpServerRequest.fromWeb(new Request("http://localhost/v1/credits"))
    ),
    Effect.provide(Logger.remove(Logger.defaultLogger))
  )
)

describe("clientAddress", () => {
  const from = (remote: string, forwarded: string | undefined, proxies: ReadonlyArray<string>) =>
    clientAddress(
      {
        remoteAddress: Option.some(remote),
        headers: Headers.fromInput(forwarded === undefined ? {} : { "x-forwarded-for": forwarded })
      },
      proxyList(proxies)
    )

  it.each([
    ["198.51.100.7", undefined, [], "198.51.100.7"],
    ["198.51.100.7", "203.0.113.9", [], "198.51.100.7"],
    ["::ffff:127.0.0.1", "203.0.113.9", ["127.0.0.1"], "203.0.113.9"],
    ["10.0.0.2", "1.1.1.1, 203.0.113.9, 10.0.0.1", ["10.0.0.0/8"], "203.0.113.9"],
    ["10.0.0.2", "nonsense", ["10.0.0.0/8"], "10.0.0.2"],
    ["::1", "2001:db8::1", ["::1"], "2001:db8::1"]
  ])("%s with %s behind %j is %s", (remote, forwarded, proxies, expected) => {
    expect(from(remote, forwarded, proxies)).toBe(expected)
  })
})
