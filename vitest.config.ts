import { fileURLToPath } from "node:url"
import { defineConfig } from "vitest/config"

const part = {
  resolve: { alias: { "better-sqlite3": fileURLToPath(new URL("src/store/Sqlite.ts", import.meta.url)) } },
  test: {
    server: { deps: { inline: ["@effect/sql-sqlite-node"] } },
    testTimeout: 60_000,
    hookTimeout: 120_000
  }
}

/**
 * Tests of plain functions, which leave nothing behind: two threads import effect and the sources once for all of them. Those that use
 * `layer` of @effect/vitest are none: its test clock stays for the files after it.
 */
const pure = ["test/{audio,domain,exports,script}/**/*.test.ts"]

export default defineConfig({
  test: {
    globalSetup: ["test/build.ts"],
    poolOptions: {
      threads: { isolate: false, maxThreads: 2 },
      // Most tests wait for processes of their own.
      forks: { maxForks: 2 }
    },
    projects: [
      { ...part, test: { ...part.test, name: "pure", include: pure, pool: "threads" } },
      {
        ...part,
        test: {
          ...part.test,
          name: "rest",
          include: ["test/**/*.test.ts"],
          exclude: pure,
          pool: "forks",
          // After the pure ones, not beside them.
          sequence: { groupOrder: 1 }
        }
      }
    ]
  }
})
