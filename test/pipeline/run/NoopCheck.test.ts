/** What counts as an unchanged batch after a finished run, and every change that does not. */
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { SqlClient } from "@effect/sql/SqlClient"
import { expect, it } from "@effect/vitest"
import { Effect, Option } from "effect"
import { LanguageTag } from "../../../src/domain/values/Ids.ts"
import { runPlan } from "../../../src/pipeline/Dub.ts"
import { loadBatch } from "../../../src/pipeline/load/BatchLoader.ts"
import type { RunFlags } from "../../../src/pipeline/load/RunFlags.ts"
import { planBatch } from "../../../src/pipeline/plan/BatchPlan.ts"
import { digestSources, unchangedSince } from "../../../src/pipeline/run/NoopCheck.ts"
import { video } from "../../ffmpeg/media.ts"
import { temporaryFolder } from "../../hostile/Batch.ts"
import { standIn, stored } from "../StandIn.ts"
import { bundledFfmpeg } from "../../ffmpeg/binaries.ts"

const cue = (words: string) => `1\n00:00:00,500 --> 00:00:03,500\n${words}\n`
const defaults = { provider: "provider_fast", voice: "v1", outputs: ["srt"] }
const film = { id: "film", input: "film.srt", sheet: "film.csv", video: "film.mkv" }
const parts = { id: "part", input: "parts/*.srt", lexicon: [{ word: "quay", say: "key" }] }
const manifest = {
  service: { baseUrl: "http://127.0.0.1:9" },
  providers: { provider_fast: { concurrency: 4 } },
  defaults,
  jobs: [film, parts]
}
const overrides = `jobs: { film: { "1": { say: "The ferry is gone." } } }`

/** A folder with everything that the manifest refers to. */
const batchFolder = Effect.gen(function* () {
  const folder = yield* temporaryFolder
  mkdirSync(join(folder, "parts"))
  const files = {
    "batch.json": JSON.stringify(manifest),
    "film.srt": cue("The ferry has left the harbour."),
    "film.csv": "cues,voice\n1,v2\n",
    "parts/one.srt": cue("Nobody on the quay has seen it.")
  }
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content)
  yield* video(join(folder, "film.mkv"), { seconds: 5 })
  return folder
})

it.scopedLive("counts a batch as unchanged only if nothing has changed", () =>
  Effect.gen(function* () {
    const folder = yield* batchFolder
    const loaded = (flags: RunFlags = {}) => loadBatch([join(folder, "batch.json")], flags)
    const looked = (flags?: RunFlags) =>
      loaded(flags).pipe(
        Effect.flatMap((batch) =>
          Effect.flatMap(digestSources(batch), (sources) => unchangedSince(batch, sources))
        ),
        // A batch with a missing input cannot even be loaded.
        Effect.orElseSucceed(Option.none)
      )
    const ran = Effect.gen(function* () {
      const batch = yield* loaded()
      const sources = yield* digestSources(batch)
      return yield* runPlan(yield* planBatch(batch), standIn(0), { sources })
    })

    /** Checks the batch while a file has other content, or does not exist. */
    const lookedWhile = (name: string, content: string | Uint8Array | undefined) =>
      Effect.acquireUseRelease(
        Effect.sync(() => {
          const path = join(folder, name)
          const aside = join(folder, "aside")
          // The file is moved, not copied, to keep its modification time.
          const was = existsSync(path)
          if (was) renameSync(path, aside)
          if (content !== undefined) writeFileSync(path, content)
          return { path, aside, was }
        }),
        () => looked(),
        ({ path, aside, was }) =>
          Effect.sync(() => {
            rmSync(path, { force: true })
            if (was) renameSync(aside, path)
          })
      )
    /** Checks the batch while a statement has changed the state; `undo` reverts it. */
    const lookedAfter = (statement: string, undo: string) =>
      Effect.flatMap(SqlClient, (sql) =>
        Effect.acquireUseRelease(
          sql.unsafe(statement),
          () => looked(),
          () => Effect.orDie(sql.unsafe(undo))
        )
      )
    const asManifest = (changes: object) => JSON.stringify({ ...manifest, ...changes })

    yield* Effect.gen(function* () {
      expect(Option.isNone(yield* looked()), "never run").toBe(true)
      const { jobs } = yield* ran
      const again = Option.getOrThrow(yield* looked())
      expect(again).toMatchObject({ utterances: 2, notices: [] })
      expect(again.results).toEqual(
        jobs.map(({ job, metrics, looks }) => ({
          job: { ...job, voice: expect.anything() },
          status: "delivered",
          unchanged: true,
          metrics,
          last: metrics,
          looks,
          files: [`${job.id}/${job.id}.srt`]
        }))
      )

      const here = (name: string) => readFileSync(join(folder, name))
      const srt = here("out/film/film.srt").toString("utf8")
      const clip = `.dubwright/clips/${readdirSync(join(folder, ".dubwright/clips"))[0]}`
      const otherFiles: Record<string, readonly [string, string | Uint8Array | undefined]> = {
        "a word of a script": ["film.srt", cue("The ferry has left the harbor.")],
        "a deleted script": ["film.srt", undefined],
        "an additional script": ["parts/two.srt", cue("Wait.")],
        "a voice in a cue sheet": ["film.csv", "cues,voice\n1,v3\n"],
        "the content of a film": ["film.mkv", Buffer.concat([here("film.mkv"), Buffer.from([0])])],
        "the modification time of a film": ["film.mkv", here("film.mkv")],
        "an override of a cue": ["batch.json.overrides.yaml", overrides],
        "the pronunciation of a word": [
          "batch.json",
          asManifest({ jobs: [film, { ...parts, lexicon: [{ word: "quay", say: "kay" }] }] })
        ],
        "a provider's limit": [
          "batch.json",
          asManifest({ providers: { provider_fast: { concurrency: 4, maxChars: 20 } } })
        ],
        "a notification": ["batch.json", asManifest({ notify: { webhook: "http://127.0.0.1:9" } })],
        "a removed job": ["batch.json", asManifest({ jobs: [film] })],
        "the requested outputs": [
          "batch.json",
          asManifest({ defaults: { ...defaults, outputs: ["srt", "vtt"] } })
        ],
        "the text of a result": ["out/film/film.srt", srt.replace("left", "lost")],
        "the modification time of a result": ["out/film/film.srt", srt],
        "a deleted result": ["out/part-one/report.html", undefined],
        "the modification time of a report": ["out/film/report.json", here("out/film/report.json")],
        "a deleted clip": [clip, undefined],
        "a truncated clip": [clip, here(clip).subarray(0, 100)]
      }
      for (const [what, [name, content]] of Object.entries(otherFiles)) {
        expect(Option.isNone(yield* lookedWhile(name, content)), what).toBe(true)
        expect(Option.isSome(yield* looked()), `${what}, reverted`).toBe(true)
      }

      const otherFlags: Record<string, RunFlags> = {
        "--only": { only: "film" },
        "--out": { out: join(folder, "elsewhere") },
        "--language": { language: LanguageTag.make("en") },
        "--base-url": { baseUrl: "http://127.0.0.1:10" }
      }
      for (const [what, flags] of Object.entries(otherFlags))
        expect(Option.isNone(yield* looked(flags)), what).toBe(true)

      const otherState: Record<string, readonly [string, string]> = {
        "a clip spoken again": [
          "UPDATE clip SET checksum = 'x' || checksum",
          "UPDATE clip SET checksum = substr(checksum, 2)"
        ],
        "a missing clip": [
          "UPDATE clip SET key = 'x' || key WHERE key = (SELECT min(key) FROM clip)",
          "UPDATE clip SET key = substr(key, 2) WHERE key LIKE 'x%'"
        ],
        "another delivery": [
          "UPDATE delivery SET digest = 'x' || digest WHERE job = 'film'",
          "UPDATE delivery SET digest = substr(digest, 2) WHERE job = 'film'"
        ],
        "an unreadable record": [
          "UPDATE finished SET record = 'x' || record",
          "UPDATE finished SET record = substr(record, 2)"
        ]
      }
      for (const [what, [statement, undo]] of Object.entries(otherState)) {
        expect(Option.isNone(yield* lookedAfter(statement, undo)), what).toBe(true)
        expect(Option.isSome(yield* looked()), `${what}, reverted`).toBe(true)
      }
    }).pipe(Effect.provide([stored(join(folder, ".dubwright")), bundledFfmpeg]))
  })
)
