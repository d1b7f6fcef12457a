import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { send } from "../service/raw.ts"
import { runHere } from "./cli/inProcess.ts"
import { emptyFolder, start } from "./process.ts"
import { type EnteredReview, enterReview } from "./review/EnterReview.ts"

const srt = ["The tide turns", "at nine this evening.", "Is that what you heard?"]
  .map((text, at) => `${at + 1}\n00:00:0${at * 3 + 1},000 --> 00:00:0${at * 3 + 3},900\n${text}\n`)
  .join("\n")

/** Waits until the job's accepted changes are delivered; returns the number of deliveries. */
const delivered = async ({ ask }: EnteredReview): Promise<number> => {
  let ended = 0
  await expect
    .poll(
      async () => {
        const standing: { readonly state: string; readonly ended: number } = JSON.parse(
          await (await ask("film/delivery")).text()
        )
        ended = standing.ended
        return standing.state
      },
      { timeout: 60_000 }
    )
    .toBe("delivered")
  return ended
}

const batch = (): string => {
  const cwd = emptyFolder()
  writeFileSync(join(cwd, "film.srt"), srt)
  writeFileSync(
    join(cwd, "batch.yaml"),
    [
      "service: embedded",
      "defaults: { provider: provider_opensource, voice: os-slt, language: en, unit: sentence }",
      "jobs:",
      "  - { id: film, input: film.srt }",
      ""
    ].join("\n")
  )
  return cwd
}

/** Expects that requests without access get nothing, that bodies are limited, and that no URL is passed on. */
const refusesOthers = async ({ address, headers, ask }: EnteredReview) => {
  const accept = `${address.href}film/cues/3/accept`
  const post = (more: RequestInit["headers"], body = "{}") =>
    fetch(accept, {
      method: "POST",
      body,
      headers: { ...headers, "content-type": "application/json", ...more }
    })
  const answers = [
    // Another user of this machine can reach the port, but knows neither the path nor the cookie.
    [404, await fetch(`${address.origin}/film/report.html`)],
    [404, await fetch(`${address.origin}/`, { headers })],
    [404, await fetch(`${address.origin}/${"A".repeat(12)}/film/report.html`, { headers })],
    [403, await fetch(`${address.href}film/report.html`)],
    [403, await fetch(`${address.href}${"A".repeat(32)}`, { headers: { cookie: "dubwright-review=guess" } })],
    [403, await post({ cookie: "" })],
    [403, await post({ origin: "null" })],
    [422, await post({}, " ".repeat(300_000))],
    [404, await ask("film/..%2f..%2fbatch.yaml")],
    [200, await ask("film/delivery")]
  ] as const
  const secret = headers.cookie.replace("dubwright-review=", "")
  expect(secret).toMatch(/^[\w-]{32}$/u)
  for (const [status, answer] of answers) {
    expect(answer.status).toBe(status)
    expect(answer.headers.get("referrer-policy")).toBe("no-referrer")
    expect(answer.headers.get("content-security-policy")).toBe("frame-ancestors 'none'")
    expect(answer.headers.get("cross-origin-resource-policy")).toBe("same-origin")
    expect(answer.headers.get("access-control-allow-origin")).toBeNull()
    expect(answer.headers.get("x-frame-options")).toBe("DENY")
    expect(answer.headers.get("set-cookie")).toBeNull()
    const text = await answer.text()
    if (status === 422) expect(text).toContain("more than 256000 bytes")
    else expect(text).not.toContain(secret)
  }
  const rebound = await send(address.origin, [
    `GET ${address.pathname}film/report.html HTTP/1.1\r\nhost: rebound.example:${address.port}\r\ncookie: ${headers.cookie}\r\nconnection: close\r\n\r\n`
  ])
  expect(rebound?.status).toBe(421)
}

describe("review", () => {
  test("speaks a changed cue alone if its utterance can be cut, and does not block runs", async () => {
    const cwd = batch()
    expect((await runHere(["run", "batch.yaml"], { cwd })).code).toBe(0)
    const summary = join(cwd, "out/run.json")
    const first = JSON.parse(readFileSync(summary, "utf8"))
    writeFileSync(
      summary,
      JSON.stringify({ ...first, jobs: [{ id: "film", status: "failed", error: "cue 2" }] })
    )
    const server = start(["review", "batch.yaml"], { cwd })
    const review = await enterReview(await server.firstLine)
    const ask = async (what: string, parts: object) => {
      const answer = await review.ask(`film/cues/2/${what}`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ parts })
      })
      const said: { readonly wav?: string } = JSON.parse(await answer.text())
      return { status: answer.status, said }
    }
    const wish = {
      say: "at ten this evening.",
      provider: "provider_opensource",
      voice: "os-slt",
      start: 4,
      end: 6.9
    }
    const take = await ask("take", { "2": wish })
    // It is shorter than its cue, and fills more of it.
    const speed: unknown = expect.closeTo(0.9, 2)
    expect(take).toMatchObject({ status: 200, said: { start: 4, speed, flags: [], besides: [] } })
    expect(
      Buffer.from(take.said.wav ?? "", "base64")
        .subarray(0, 4)
        .toString()
    ).toBe("RIFF")
    expect(await ask("accept", { "2": wish })).toEqual({
      status: 200,
      said: { state: "delivering", ended: 0 }
    })
    expect(
      readFileSync(join(cwd, "batch.yaml.overrides.yaml"), "utf8"),
      "saved before the response"
    ).toContain("say: at ten this evening.")
    await delivered(review)
    expect(JSON.parse(readFileSync(summary, "utf8")), "the batch page on disk is up to date").toEqual(first)
    expect(readFileSync(join(cwd, "out/index.html"), "utf8")).toMatch(
      /class="verdict [a-z]+">1 job delivered/u
    )

    expect(await ask("take", { "9": wish })).toEqual({
      status: 422,
      said: { error: "cue 9 has no spoken line; choose a cue that is spoken" }
    })
    expect(await ask("take", { "2": { ...wish, say: "" } })).toEqual({
      status: 422,
      said: { error: "cue 2: say: expected text to speak, at most 20000 characters" }
    })
    expect(await ask("take", { "2": { ...wish, speed: 0 } })).toEqual({
      status: 422,
      said: { error: "cue 2: speed: expected a number above 0" }
    })
    expect(await ask("take", [])).toEqual({
      status: 422,
      said: { error: "expected edits in the review page's format" }
    })
    expect(await ask("take", { "2": { ...wish, end: 3 } })).toEqual({
      status: 422,
      said: {
        error: "batch.yaml.overrides.yaml: job film: cue 2: end (3 s) is not after start (4 s)"
      }
    })

    const again = await runHere(["run", "batch.yaml", "--json"], { cwd })
    expect(JSON.parse(again.stdout).tasks, again.stderr).toMatchObject({ created: 0, reused: 3 })
    const { cues } = JSON.parse(readFileSync(join(cwd, "out/film/report.json"), "utf8"))
    expect(
      cues.map(({ said, flags }: { said: string; flags: ReadonlyArray<string> }) => [said, flags])
    ).toEqual([
      ["The tide turns", []],
      ["at ten this evening.", []],
      ["Is that what you heard?", []]
    ])
    server.child.kill("SIGINT")
    expect((await server.ended).code).toBe(0)
  })

  test("delivers changes accepted in two windows at once", async () => {
    const cwd = batch()
    expect((await runHere(["run", "batch.yaml", "--quiet"], { cwd })).code).toBe(0)
    const server = start(["review", "batch.yaml"], { cwd })
    const review = await enterReview(await server.firstLine)
    const accepted = async (cue: number, say: string) => {
      const wish = { say, provider: "provider_opensource", voice: "os-slt" }
      const answer = await review.ask(`film/cues/${cue}/accept`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ parts: { [cue]: wish } })
      })
      return answer.status
    }
    expect(await Promise.all([accepted(1, "The wind turns"), accepted(3, "Is that what he said?")])).toEqual([
      200, 200
    ])
    await delivered(review)
    const { cues } = JSON.parse(readFileSync(join(cwd, "out/film/report.json"), "utf8"))
    expect(cues.map(({ said }: { said: string }) => said)).toEqual([
      "The wind turns",
      "at nine this evening.",
      "Is that what he said?"
    ])
    server.child.kill("SIGINT")
    expect((await server.ended).code).toBe(0)
  })

  test("saves changes accepted before the review ends, and the next run delivers them", async () => {
    const cwd = batch()
    expect((await runHere(["run", "batch.yaml", "--quiet"], { cwd })).code).toBe(0)
    const server = start(["review", "batch.yaml"], { cwd })
    const review = await enterReview(await server.firstLine)
    const answer = await review.ask(`film/cues/3/accept`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({
        parts: { "3": { say: "Is that what he said?", provider: "provider_opensource", voice: "os-slt" } }
      })
    })
    expect([answer.status, await answer.json()]).toEqual([200, { state: "delivering", ended: 0 }])
    server.child.kill("SIGINT")
    const { code, stderr } = await server.ended
    expect(code, stderr).toBe(0)
    expect(stderr).toContain("film: accepted changes are saved but not delivered; the next run delivers them")
    const again = await runHere(["run", "batch.yaml", "--json"], { cwd })
    expect(JSON.parse(again.stdout).tasks, again.stderr).toMatchObject({ created: 0 })
    const { cues } = JSON.parse(readFileSync(join(cwd, "out/film/report.json"), "utf8"))
    expect(cues[2].said).toBe("Is that what he said?")
  })

  test("gives a speaker another voice without paying if another speaker has said the same with it", async () => {
    const cwd = emptyFolder()
    const cue = (at: number, words: string) => `${at}\n00:00:0${at},000 --> 00:00:0${at},900\n${words}\n`
    writeFileSync(join(cwd, "film.srt"), [cue(1, "LAN: Come in."), cue(4, "MINH: Come in.")].join("\n"))
    writeFileSync(
      join(cwd, "batch.yaml"),
      "service: embedded\ndefaults: { provider: provider_opensource, voice: os-slt, language: en }\n" +
        "jobs: [{ id: film, input: film.srt, speakers: { LAN: {}, MINH: { voice: os-rms } } }]\n"
    )
    expect((await runHere(["run", "batch.yaml", "--quiet"], { cwd })).code).toBe(0)
    const server = start(["review", "batch.yaml"], { cwd })
    const review = await enterReview(await server.firstLine)
    const answer = await review.ask("film/voice/price", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ speaker: "LAN", voice: "os-rms", provider: "provider_opensource" })
    })
    expect(await answer.json()).toEqual({ lines: 1, kept: 1, tasks: 0, characters: 0, credits: 0 })
    server.child.kill("SIGINT")
    expect((await server.ended).code).toBe(0)
  })

  test("needs a manifest and a finished run", async () => {
    const cwd = batch()
    const bare = await runHere(["review", "film.srt"], { cwd })
    expect([bare.code, bare.stderr]).toEqual([
      2,
      "dubwright: review: expected a manifest; accepted changes are saved beside it\n"
    ])
    mkdirSync(join(cwd, "out"))
    const server = start(["review", "batch.yaml"], { cwd })
    const review = await enterReview(await server.firstLine)
    const answer = await review.ask("film/report.html")
    expect([answer.status, await answer.json()]).toEqual([
      422,
      { error: "job film has no readable report; run the batch first" }
    ])
    const page = await review.ask("film/report.html", { headers: { accept: "text/html,*/*" } })
    expect([page.status, page.headers.get("content-type")]).toEqual([422, "text/html; charset=utf-8"])
    expect(await page.text()).toContain("<li>job film has no readable report; run the batch first</li>")
    await refusesOthers(review)
    server.child.kill("SIGTERM")
    expect((await server.ended).code).toBe(0)
  })
})
