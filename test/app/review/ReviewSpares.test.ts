/** Jobs are prepared for their first edit in the background, but not during a delivery. */
import { readdirSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Deferred, Effect, Fiber } from "effect"
import { expect, test } from "vitest"
import { makeSpares } from "../../../src/app/review/ReviewSpares.ts"
import { emptyFolder, run, start } from "../process.ts"
import { enterReview } from "./EnterReview.ts"

test("prepares a job once at a time; a delivery interrupts that, and nothing is prepared during it", () =>
  Effect.gen(function* () {
    const spares = yield* makeSpares
    const events: Array<string> = []
    const note = (event: string) => Effect.sync(() => void events.push(event))
    const preparation = Effect.onInterrupt(Effect.zipRight(note("begun"), Effect.never), () =>
      note("interrupted")
    )
    yield* spares.prepare("film", preparation)
    yield* spares.prepare("film", preparation)
    yield* Effect.yieldNow()
    expect(events).toEqual(["begun"])
    const end = yield* Deferred.make<void>()
    const delivery = yield* Effect.fork(
      spares.around(Effect.zipRight(note("delivering"), Deferred.await(end)))
    )
    while (!events.includes("delivering")) yield* Effect.yieldNow()
    expect(events).toEqual(["begun", "interrupted", "delivering"])
    yield* spares.prepare("film", preparation)
    yield* Effect.yieldNow()
    yield* Deferred.succeed(end, undefined)
    yield* Fiber.join(delivery)
    expect(events).toEqual(["begun", "interrupted", "delivering"])
    yield* spares.prepare("film", Effect.die("no disk"))
    yield* spares.prepare("trailer", note("prepared"))
    while (!events.includes("prepared")) yield* Effect.yieldNow()
  }).pipe(Effect.scoped, Effect.runPromise))

test("an opened edit box has the WAV file copied, and the edit patches the copy", async () => {
  const cwd = emptyFolder()
  const cues = [
    "00:00:01,000 --> 00:00:03,000\nThe tide turns.",
    "00:03:10,000 --> 00:03:13,000\nIs it late?"
  ]
  writeFileSync(join(cwd, "film.srt"), cues.map((cue, at) => `${at + 1}\n${cue}\n`).join("\n"))
  const defaults = "{ provider: provider_opensource, voice: os-slt, language: en, loudness: none }"
  const jobs = "[{ id: film, input: film.srt }]"
  writeFileSync(join(cwd, "batch.yaml"), `service: embedded\ndefaults: ${defaults}\njobs: ${jobs}\n`)
  expect((await run(["run", "batch.yaml", "--quiet"], { cwd })).code).toBe(0)
  const server = start(["review", "batch.yaml"], { cwd })
  const { ask } = await enterReview(await server.firstLine)
  const mixes = join(cwd, ".dubwright/mixes")
  const spares = () => readdirSync(mixes).filter((name) => name.endsWith(".spare"))
  expect((await ask("film/report.html")).status).toBe(200)
  expect(spares()).toEqual([])
  expect((await ask("film/cues/1")).status).toBe(200)
  await expect.poll(spares).toHaveLength(1)
  const { ino } = statSync(join(mixes, spares()[0] ?? ""))
  const edit = { say: "The tide has turned.", provider: "provider_opensource", voice: "os-slt" }
  await ask("film/cues/1/accept", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ parts: { "1": edit } })
  })
  await expect.poll(async () => (await ask("film/delivery")).text()).toContain('"state":"delivered"')
  expect(statSync(join(cwd, "out/film/film.wav")).ino).toBe(ino)
  server.child.kill("SIGINT")
  expect((await server.ended).code).toBe(0)
})
