/** Rows of another shape: each query of the state fails by table and column, and changes nothing. */
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "@effect/vitest"
import type { SqlClient } from "@effect/sql/SqlClient"
import Sqlite from "better-sqlite3"
import { Effect, Layer } from "effect"
import { exitCodeFor } from "../../../src/app/ExitCodes.ts"
import { JobId, VoiceId } from "../../../src/domain/values/Ids.ts"
import { speakUtterances } from "../../../src/pipeline/speak/SpeakStage.ts"
import { BatchSpending } from "../../../src/store/tables/BatchSpending.ts"
import { CompletedBatches } from "../../../src/store/tables/CompletedBatches.ts"
import { Deliveries } from "../../../src/store/tables/Deliveries.ts"
import { spokenBy } from "../../../src/store/tables/SpokenVoices.ts"
import { StateUnusable } from "../../../src/store/state/StateErrors.ts"
import type { StateFolder } from "../../../src/store/state/StateFolder.ts"
import { UtteranceStore } from "../../../src/store/tables/UtteranceStore.ts"
import { UtteranceTransfer } from "../../../src/store/tables/UtteranceTransfer.ts"
import {
  casting,
  job,
  parts,
  serving,
  settingsFor,
  temporaryFolder,
  utterances
} from "../../hostile/Batch.ts"
import { calm, HostileService } from "../../hostile/HostileService.ts"

const list = utterances(2)
const keys = list.map(({ key }) => key)
const ep01 = JobId.make("ep01")

/** Plans and speaks the batch, as a run does. */
const run = Effect.gen(function* () {
  const store = yield* UtteranceStore
  yield* (yield* BatchSpending).begin("batch")
  yield* store.plan("batch", job(list))
  return yield* speakUtterances(settingsFor(list))
})

const spent = Effect.flatMap(BatchSpending, (outlay) => outlay.spent("batch"))
const rows = Effect.flatMap(UtteranceStore, (store) => store.rows(keys))
const clips = Effect.flatMap(UtteranceStore, (store) => store.clips(keys))
const sizes = Effect.flatMap(UtteranceStore, (store) => store.clipSizes(keys))
const failed = Effect.flatMap(UtteranceStore, (store) => store.revive(keys, "all"))
const records = Effect.flatMap(UtteranceTransfer, (transfer) => transfer.records(keys))
const deliveries = Effect.flatMap(Deliveries, (known) => known.all("/out"))
const record = Effect.flatMap(CompletedBatches, (completed) => completed.record("batch"))
const used = Effect.flatMap(CompletedBatches, (completed) => completed.usedClips("batch", ep01, ""))

type Query = Effect.Effect<
  unknown,
  StateUnusable,
  | Effect.Effect.Context<typeof run>
  | BatchSpending
  | CompletedBatches
  | Deliveries
  | SqlClient
  | StateFolder
  | UtteranceTransfer
>

/** A statement that writes a wrong row, the query that reads it, and the query's error. */
const cases: ReadonlyArray<readonly [string, Query, string]> = [
  [
    "UPDATE utterance SET state = 'flying'",
    run,
    'column state of utterance and clip: expected "planned" or "announced" or "submitted" or "settled" or "fetched" or "placed" or "failed", found "flying"'
  ],
  [
    "UPDATE utterance SET take = 'many'",
    run,
    'column take of utterance and clip: expected number, found "many"'
  ],
  [
    'UPDATE utterance SET setback = \'{"kind":"odd"}\'',
    run,
    'column setback.kind of utterance and clip: expected "refused" or "slow-down" or "broken" or "failed-at-service" or "vanished" or "never-settled" or "unreadable" or "bad-audio" or "undecidable" or "clip-gone", found "odd"'
  ],
  ["UPDATE job SET digest = x'00'", run, "column digest of job: expected string, found "],
  [
    "UPDATE utterance SET characters = 'few'",
    rows,
    'column characters of utterance: expected number, found "few"'
  ],
  [
    "UPDATE utterance SET casting = '{\"provider\":1}'",
    rows,
    "column casting.provider of utterance: expected string, found 1"
  ],
  [
    "UPDATE utterance SET said = 'Hello'",
    rows,
    "column said of utterance: Unexpected token 'H', \"Hello\" is not valid JSON"
  ],
  [
    "UPDATE utterance SET casting = '{\"provider\":1}'",
    spent,
    "column casting.provider of task and utterance: expected string, found 1"
  ],
  [
    "UPDATE utterance SET provider = x'00'",
    spokenBy(VoiceId.make(casting.voice)),
    "column provider of utterance: expected string, found "
  ],
  [
    "UPDATE utterance SET state = 'failed', setback = NULL",
    failed,
    "column setback of utterance: expected string, found null"
  ],
  [
    "UPDATE utterance SET losses = 'some'",
    records,
    'column record.losses of utterance, clip and task: expected number, found "some"'
  ],
  ["UPDATE clip SET segments = '[{}]'", clips, "column segments.0.from of clip: is missing"],
  ["UPDATE clip SET bytes = 'big'", sizes, 'column bytes of clip: expected number, found "big"'],
  [
    "UPDATE clip SET checksum = x'00'",
    used,
    "column checksum of job_use and clip: expected string or null, found "
  ],
  [
    "INSERT INTO learned VALUES ('price', 'p', '{\"count\":\"x\"}')",
    Effect.void,
    'column value.count of learned: expected number, found "x"'
  ],
  [
    "INSERT INTO delivery VALUES ('/out', 'ep01', 'd', '[1]')",
    deliveries,
    "column files.0 of delivery: expected { readonly path: string; readonly bytes: NonNegativeInt }, found 1"
  ],
  [
    "INSERT INTO finished VALUES ('batch', x'00')",
    record,
    "column record of finished: expected string, found "
  ]
]

const contents = (file: string) => {
  const database = new Sqlite(file)
  const tables = ["utterance", "clip", "task", "job", "job_use", "batch", "learned", "delivery", "finished"]
  const all = tables.map((table) => database.prepare(`SELECT * FROM ${table}`).all())
  database.close()
  return all
}

it.scopedLive("a row of another shape is named by table and column; nothing is changed, lost or paid", () =>
  Effect.gen(function* () {
    const folder = yield* temporaryFolder
    const file = join(folder, "state.sqlite")
    const service = yield* serving(new HostileService(calm))
    const stores = Layer.mergeAll(
      BatchSpending.Default,
      Deliveries.Default,
      CompletedBatches.Default,
      UtteranceTransfer.Default
    )
    const within = <A, E, R>(work: Effect.Effect<A, E, R>) =>
      Effect.provide(work, Layer.provideMerge(stores, parts(folder, service)))
    expect(yield* within(run)).toMatchObject({ created: 2, failed: 0 })
    const whole = readFileSync(file)
    const paid = service.charged.length
    const found = yield* Effect.forEach(cases, ([statement, query]) =>
      Effect.gen(function* () {
        writeFileSync(file, whole)
        const database = new Sqlite(file)
        database.exec(statement)
        database.close()
        const before = contents(file)
        const fault = yield* Effect.flip(within(Effect.asVoid(query)))
        expect(fault).toBeInstanceOf(StateUnusable)
        expect([exitCodeFor(fault).code, fault.message.includes("\n")]).toEqual([2, false])
        expect(contents(file)).toEqual(before)
        return fault.message.replace(`${folder}: `, "")
      })
    )
    expect(found).toEqual(cases.map(([, , words]) => `${odd} (${words})`))
    expect(service.charged.length).toBe(paid)
    writeFileSync(file, whole)
    expect(yield* within(run)).toMatchObject({ created: 0, reused: 2 })
  })
)

const odd = "its state.sqlite has a row that this version cannot read; restore a copy; nothing was changed"
