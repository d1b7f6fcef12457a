import { generateKeyPairSync, verify } from "node:crypto"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, layer } from "@effect/vitest"
import { Effect, TestClock } from "effect"
import { makeGoogleSpeech } from "../../../src/engines/cloud/GoogleSpeech.ts"
import { httpClient } from "../../../src/gateway/exchange/HttpTransport.ts"
import { request } from "../speech.ts"
import { google, googleRefusal } from "./servers/GoogleServer.ts"
import { fieldsIn } from "./servers/StandIn.ts"
import { cloudSuite, started } from "./Suite.ts"

cloudSuite(google)

layer(httpClient)("Google Cloud", (it) => {
  const { voice, text } = google.speech

  it.scoped("gets plain text for a voice without SSML, a long text, or if no times are wanted", () =>
    Effect.gen(function* () {
      const { server, engine, spoken } = yield* started(google)
      yield* engine.speak(request("vi-VN-Chirp3-HD-Kore", text, { pitch: 2, volume: 0.5 }))
      yield* engine.speak(request(voice, "một hai ".repeat(400)))
      const plain = yield* started({
        ...google,
        make: (settings) => makeGoogleSpeech({ ...settings, wordTimes: false })
      })
      const heard = yield* plain.engine.speak(request(voice, text))
      expect([...spoken(), ...plain.spoken()].map(({ path }) => path)).toEqual(
        Array(3).fill("/v1/text:synthesize")
      )
      expect(fieldsIn(spoken()[0]?.body ?? "")).toEqual({
        input: { text },
        voice: { languageCode: "vi-VN", name: "vi-VN-Chirp3-HD-Kore" },
        audioConfig: { audioEncoding: "LINEAR16", sampleRateHertz: 24_000, volumeGainDb: -6.021 }
      })
      expect([heard.words, [...server.broken, ...plain.server.broken]]).toEqual([[], []])
    })
  )

  it.scoped("waits as long as the error's RetryInfo says", () =>
    Effect.gen(function* () {
      const { server, engine } = yield* started(google)
      server.next(
        googleRefusal(429, "RESOURCE_EXHAUSTED", "Quota exceeded", [
          { "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: "41.5s" }
        ])
      )
      const failure = yield* Effect.flip(engine.speak(request(voice, text)))
      expect(failure._tag === "SpeechFailed" && [failure.reason, failure.retryAfter]).toEqual(["busy", 41.5])
    })
  )

  it.scoped("takes a service account's key file instead of an API key, and renews its token", () =>
    Effect.gen(function* () {
      const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 })
      const assertions: Array<string> = []
      const tokens = yield* Effect.acquireRelease(
        Effect.async<ReturnType<typeof createServer>>((resume) => {
          const server = createServer((incoming, response) => {
            let body = ""
            incoming.on("data", (part) => (body += String(part)))
            incoming.on("end", () => {
              const form = new URLSearchParams(body)
              assertions.push(form.get("assertion") ?? "")
              response.end(
                form.get("grant_type") === "urn:ietf:params:oauth:grant-type:jwt-bearer"
                  ? JSON.stringify({ access_token: "ya29.token", expires_in: 3_599, token_type: "Bearer" })
                  : JSON.stringify({ error: "unsupported_grant_type" })
              )
            })
          }).listen(0, "127.0.0.1", () => resume(Effect.succeed(server)))
        }),
        (server) => Effect.sync(() => server.close())
      )
      const address = tokens.address()
      const token_uri = `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}/token`
      const folder = yield* Effect.acquireRelease(
        Effect.sync(() => mkdtempSync(join(tmpdir(), "dubwright-google-"))),
        (path) => Effect.sync(() => rmSync(path, { recursive: true }))
      )
      const file = join(folder, "key.json")
      const private_key = privateKey.export({ type: "pkcs8", format: "pem" })
      writeFileSync(
        file,
        JSON.stringify({
          type: "service_account",
          client_email: "me@project",
          private_key,
          private_key_id: "k1",
          token_uri
        })
      )
      const { server, engine } = yield* started(google, {}, { GOOGLE_APPLICATION_CREDENTIALS: file })
      yield* engine.speak(request(voice, text))
      yield* engine.speak(request(voice, text))
      expect([assertions.length, server.broken]).toEqual([1, []])
      const [head = "", claims = "", signature = ""] = assertions[0]?.split(".") ?? []
      const isSigned = verify(
        "RSA-SHA256",
        Buffer.from(`${head}.${claims}`),
        publicKey,
        Buffer.from(signature, "base64url")
      )
      expect([
        isSigned,
        ...[head, claims].map((part) => fieldsIn(Buffer.from(part, "base64url").toString()))
      ]).toEqual([
        true,
        { alg: "RS256", typ: "JWT", kid: "k1" },
        {
          iss: "me@project",
          scope: "https://www.googleapis.com/auth/cloud-platform",
          aud: token_uri,
          iat: 0,
          exp: 3_600
        }
      ])
      yield* TestClock.adjust("59 minutes")
      yield* engine.speak(request(voice, text))
      expect(assertions.length).toBe(2)
      const wrong = yield* started(google, {}, { GOOGLE_APPLICATION_CREDENTIALS: join(folder, "none.json") })
      expect((yield* Effect.flip(wrong.engine.check)).message).toContain("none.json")
    })
  )
})
