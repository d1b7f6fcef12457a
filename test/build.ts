/** Before any test: dist/ as the sources stand, since engines run in a bundled worker and commands in the bundle. */
import { spawnSync } from "node:child_process"

const setup = (): void => {
  const run = spawnSync(process.execPath, ["scripts/build.mjs"], { stdio: "inherit" })
  if (run.status !== 0) throw new Error("the build failed, see above")
}

export default setup
