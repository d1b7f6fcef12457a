/**
 * Checks that the service speaks and charges each task once while its processes are killed, one every two seconds:
 * three replicas that share PostgreSQL and a stand-in for S3, or with `--sqlite` one process over SQLite and a folder.
 *
 *     node bench/run.mjs replicas [tasks] [--sqlite]
 */
import { parseArgs } from "node:util"
import { runChaos } from "../test/service/replicas/Chaos.ts"
import { hasPostgres, PostgresServer } from "../test/service/replicas/PostgresServer.ts"

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { sqlite: { type: "boolean", default: false } }
})
const count = Number(positionals[0] ?? 2_000)
const granted = 100_000_000
if (!values.sqlite && !hasPostgres) throw new Error("PostgreSQL is not installed")
const server = values.sqlite ? undefined : await PostgresServer.start()
try {
  const plan = { tasks: count, server, every: 2_000, kills: Infinity, granted }
  const { tasks, credits, ...figures } = await runChaos(plan)
  const spent = tasks.reduce((sum, task) => sum + task.credits, 0)
  const done = tasks.filter(({ status }) => status === "done").length
  const lines = new Set(tasks.map((task) => task.voice_name)).size
  const isExact = credits.used === spent && credits.reserved === 0 && credits.credits === granted - spent
  process.stdout.write(
    `${JSON.stringify({ tasks: tasks.length, done, lines, ...figures, spent, credits, isExact }, null, 2)}\n`
  )
  process.exitCode = isExact && done === count && lines === count && tasks.length === count ? 0 : 1
} finally {
  await server?.stop()
}
