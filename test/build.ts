/**
 * Vitest global setup: builds dist/ from the current sources. Tests need it, because engines run in a bundled worker
 * and commands in a bundle.
 */
import { spawnSync } from "node:child_process"

const setup = (): void => {
  const run = spawnSync(process.execPath, ["scripts/build.mjs"], { stdio: "inherit" })
  if (run.status !== 0) throw new Error("the build failed; see the output above")
}

export default setup
