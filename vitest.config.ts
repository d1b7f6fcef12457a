import { fileURLToPath } from "node:url"
import { defineConfig } from "vitest/config"
import { LongestFirst } from "./test/LongestFirst.ts"

export default defineConfig({
  resolve: {
    alias: { "better-sqlite3": fileURLToPath(new URL("src/store/state/Sqlite.ts", import.meta.url)) }
  },
  test: {
    reporters: ["default", "./test/UntriedReporter.ts"],
    globalSetup: ["test/build.ts"],
    setupFiles: ["test/testers.ts"],
    server: { deps: { inline: ["@effect/sql-sqlite-node"] } },
    // They only end what hangs: a busy machine may be ten times slower than an idle one.
    testTimeout: 180_000,
    hookTimeout: 240_000,
    expect: { poll: { timeout: 60_000 } },
    sequence: { sequencer: LongestFirst },
    pool: "forks",
    // Effect and the sources are imported once for all files of a process. A test must undo its changes to the process.
    // Many tests wait, so four processes keep two cores busy.
    maxWorkers: 4,
    isolate: false
  }
})
