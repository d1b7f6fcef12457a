import { fileURLToPath } from "node:url"
import { defineConfig } from "vitest/config"

export default defineConfig({
  resolve: { alias: { "better-sqlite3": fileURLToPath(new URL("src/store/Sqlite.ts", import.meta.url)) } },
  test: {
    server: { deps: { inline: ["@effect/sql-sqlite-node"] } },
    include: ["test/**/*.test.ts"],
    globalSetup: ["test/build.ts"],
    testTimeout: 60_000,
    hookTimeout: 120_000,
    pool: "forks",
    // Most tests wait for processes of their own.
    poolOptions: { forks: { maxForks: 2 } }
  }
})
