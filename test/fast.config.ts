/** Vitest configuration for the pure rooms: no build, no programs, no browser. Used by `npm run test:fast`. */
import { fileURLToPath } from "node:url"
import { defineConfig } from "vitest/config"

const sqlite = fileURLToPath(new URL("../src/store/state/Sqlite.ts", import.meta.url))

export default defineConfig({
  resolve: { alias: { "better-sqlite3": sqlite } },
  test: {
    include: ["domain", "settings", "script", "exports", "audio", "gateway/pacing"].map(
      (room) => `test/${room}/**/*.test.ts`
    ),
    exclude: [
      "test/script/*Corpus.test.ts",
      "test/exports/timelines/OpenShot.test.ts",
      "test/audio/level/ClipLoudness.test.ts"
    ],
    setupFiles: ["test/testers.ts"],
    testTimeout: 60_000,
    pool: "forks",
    maxWorkers: 2,
    isolate: false
  }
})
