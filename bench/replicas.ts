/**
 * Checks that replicas of the service speak and charge each task once. Three replicas share PostgreSQL and a stand-in
 * for S3, and one replica is killed every two seconds.
 *
 *     node bench/run.mjs replicas [tasks]
 */
import { runChaos } from "../test/service/replicas/Chaos.ts"
import { hasPostgres, PostgresServer } from "../test/service/replicas/PostgresServer.ts"

const count = Number(process.argv[2] ?? 2_000)
const granted = 100_000_000
if (!hasPostgres) throw new Error("PostgreSQL is not installed")
const server = await PostgresServer.start()
try {
  const { tasks, credits, ...figures } = await runChaos(server, {
    tasks: count,
    replicas: 3,
    every: 2_000,
    kills: Infinity,
    granted
  })
  const spent = tasks.reduce((sum, task) => sum + task.credits, 0)
  const done = tasks.filter(({ status }) => status === "done").length
  const lines = new Set(tasks.map((task) => task.voice_name)).size
  const isExact = credits.used === spent && credits.reserved === 0 && credits.credits === granted - spent
  process.stdout.write(
    `${JSON.stringify({ tasks: tasks.length, done, lines, ...figures, spent, credits, isExact }, null, 2)}\n`
  )
  process.exitCode = isExact && done === count && lines === count && tasks.length === count ? 0 : 1
} finally {
  await server.stop()
}
