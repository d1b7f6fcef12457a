// Sets up a fresh clone: installs packages from the lock file, then builds dist/. Skips steps already done. Plain Node,
// because nothing is installed when it first runs.
import { spawnSync } from "node:child_process"
import { createHash } from "node:crypto"
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

const root = fileURLToPath(new URL("..", import.meta.url))
const fail = (message) => {
  process.stderr.write(`setup: ${message}\n`)
  process.exit(1)
}

const [major = 0, minor = 0] = process.versions.node.split(".").map(Number)
if (major < 20 || (major === 20 && minor < 19)) {
  fail(
    `Node ${process.versions.node} is too old; install Node 20.19 or later, then run the same command again`
  )
}

const stamp = join(root, "node_modules/.dubwright-setup")
const wanted = createHash("sha256")
  .update(readFileSync(join(root, "package-lock.json")))
  .update(`${process.platform} ${process.arch} ${process.versions.modules}`)
  .digest("hex")

if (!existsSync(stamp) || readFileSync(stamp, "utf8") !== wanted) {
  process.stderr.write("setup: installing packages from the lock file (a minute or two the first time)\n")
  const npm = process.env.npm_execpath
  const [command, ...args] = npm === undefined ? ["npm"] : [process.execPath, npm]
  // npm's output goes to stderr: stdout belongs to the command that follows.
  const run = spawnSync(
    command,
    [...args, "ci", "--include=dev", "--include=optional", "--no-audit", "--no-fund"],
    {
      cwd: root,
      stdio: ["ignore", 2, 2]
    }
  )
  if (run.error !== undefined)
    fail(`npm could not be started (${run.error.message}); install npm, then run the same command again`)
  if (run.status !== 0) {
    fail(
      "npm ci failed, see above. It needs the npm registry and, if no prebuilt better-sqlite3 fits, a C++ toolchain " +
        "(Debian: build-essential python3). Fix that, then run the same command again"
    )
  }
  writeFileSync(stamp, wanted)
}

const { build } = await import("./build.mjs")
if (await build()) process.stderr.write("setup: built dist/\n")
