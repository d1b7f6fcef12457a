/**
 * Checks that a fleet without a shared folder pays once for each utterance, and how fast it is, while its processes are
 * killed. Every two seconds, a process chosen at random gets SIGKILL: a worker, the coordinator, Redis or a replica of
 * the service. It starts again at once or after a second. The same batch runs first without kills.
 *
 * The ideal time is the utterances × the engine's time for one ÷ the utterances that the engine speaks at once. Nothing
 * is subtracted for processes that are down, and starting, planning and delivering count.
 *
 *     node bench/run.mjs kills [utterances] [--latency MS] [--at-once N] [--in-flight N] [--takeover S] [--lease S]
 *       [--every MS] [--seed N] [--no-calm]
 *
 * Requires redis-server and PostgreSQL.
 */
import { createHash } from "node:crypto"
import { loadavg } from "node:os"
import { parseArgs } from "node:util"
import { type KillOutcome, type KillPlan, runKilled } from "./KilledFleet.ts"

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    latency: { type: "string", default: "500" },
    "at-once": { type: "string", default: "8" },
    "in-flight": { type: "string", default: "96" },
    takeover: { type: "string", default: "2" },
    lease: { type: "string", default: "2" },
    every: { type: "string", default: "2000" },
    seed: { type: "string", default: "1" },
    "no-calm": { type: "boolean", default: false }
  }
})
const plan: KillPlan = {
  utterances: Number(positionals[0] ?? 1_000),
  latency: Number(values.latency),
  atOnce: Number(values["at-once"]),
  inFlight: Number(values["in-flight"]),
  takeover: Number(values.takeover),
  lease: Number(values.lease),
  every: Number(values.every),
  seed: Number(values.seed)
}
const ideal = (plan.utterances * plan.latency) / plan.atOnce / 1000

const round = (value: number) => Math.round(value * 1000) / 1000
const rounded = (_: string, value: unknown) => (typeof value === "number" ? round(value) : value)

const spread = (times: ReadonlyArray<number>) => {
  const sorted = times.toSorted((a, b) => a - b)
  const at = (share: number) => Math.round(sorted[Math.ceil(sorted.length * share) - 1] ?? 0)
  return { count: sorted.length, p50: at(0.5), p95: at(0.95), max: at(1) }
}

const print = (name: string, { files, recoveries, ...figures }: KillOutcome) => {
  const kinds = [...new Set(recoveries.map(({ kind }) => kind))]
  const resumed = Object.fromEntries(
    kinds.map((kind) => {
      const own = recoveries.filter((each) => each.kind === kind)
      const done = own.filter(({ isFinished }) => isFinished)
      return [
        kind,
        {
          msSinceReady: spread(done.map(({ sinceReady }) => sinceReady)),
          msSinceStart: spread(done.map(({ sinceStart }) => sinceStart)),
          msKilledBefore: spread(
            own.filter(({ isFinished }) => !isFinished).map(({ sinceStart }) => sinceStart)
          )
        }
      ]
    })
  )
  const shown = {
    run: name,
    ideal,
    ratio: figures.total / ideal,
    ratioSpoken: figures.spoken / ideal,
    ...figures,
    files: Object.keys(files).length,
    filesDigest: createHash("sha256").update(JSON.stringify(files)).digest("hex"),
    resumed,
    load: loadavg()
  }
  process.stdout.write(`${JSON.stringify(shown, rounded, 2)}\n`)
}

const isPaidOnce = ({ tasks, notOnce, credits }: KillOutcome) =>
  tasks === plan.utterances && notOnce === 0 && credits.reserved === 0 && credits.used === credits.charged

const calm = values["no-calm"] ? undefined : await runKilled({ ...plan, every: Infinity })
if (calm !== undefined) print("without kills", calm)
const killed = await runKilled(plan)
print("with kills", killed)
const isEqual = calm === undefined ? undefined : JSON.stringify(killed.files) === JSON.stringify(calm.files)
process.stdout.write(
  `${JSON.stringify(
    {
      paidOnce: isPaidOnce(killed),
      filesEqual: isEqual,
      ratioToIdeal: killed.total / ideal,
      ...(calm === undefined ? {} : { ratioToCalm: killed.total / calm.total })
    },
    rounded
  )}\n`
)
process.exit(isPaidOnce(killed) && isEqual !== false ? 0 : 1)
