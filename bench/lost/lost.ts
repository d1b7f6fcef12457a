/**
 * Checks that a batch whose creates all lose their responses searches no history, pays each line once, and delivers the
 * same WAV file as without losses, to the bit. The service is real; a proxy cuts the responses off.
 *
 *     node bench/run.mjs lost [lines]
 */
import { isDeepStrictEqual } from "node:util"
import { runLossy } from "../../test/service/requests/LostResponses.ts"

const lines = Number(process.argv[2] ?? 1_000)
const began = performance.now()
const { calm, lossy } = await runLossy(lines)
const isSame = isDeepStrictEqual(lossy, { ...calm, lost: lines }) && calm.exit === 0 && calm.tasks === lines
const seconds = (performance.now() - began) / 1000
process.stdout.write(`${JSON.stringify({ lines, isSame, seconds, calm, lossy }, null, 2)}\n`)
process.exit(isSame && lossy.history === 0 ? 0 : 1)
