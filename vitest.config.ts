import { fileURLToPath } from "node:url"
import { defineConfig } from "vitest/config"

export default defineConfig({
  resolve: {
    alias: { "better-sqlite3": fileURLToPath(new URL("src/store/state/Sqlite.ts", import.meta.url)) }
  },
  test: {
    reporters: ["default", "./test/UntriedReporter.ts"],
    globalSetup: ["test/build.ts"],
    setupFiles: ["test/testers.ts"],
    server: { deps: { inline: ["@effect/sql-sqlite-node"] } },
    testTimeout: 60_000,
    hookTimeout: 120_000,
    pool: "forks",
    // Effect and the sources are imported once for all files of a process. A test must undo its changes to the process.
    poolOptions: { forks: { maxForks: 2, isolate: false } }
  }
})
