// The health check of the images. A container that runs `dubwright serve` is healthy if the service responds; one that
// runs anything else is healthy as long as it runs.
//
//     node healthy.mjs [PID]     exit code 0: healthy, 1: not
import { readFileSync } from "node:fs"

const [pid = "1"] = process.argv.slice(2)
const words = readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0")
const port = words.includes("--port") ? words[words.indexOf("--port") + 1] : "8080"
const address = `http://127.0.0.1:${port}/v1/health-check`

const isHealthy = async () => {
  if (!words.includes("serve")) return true
  try {
    // Without a key, a working service responds with 401.
    return (await fetch(address, { signal: AbortSignal.timeout(4_000) })).status < 500
  } catch {
    return false
  }
}

process.exitCode = (await isHealthy()) ? 0 : 1
