// Assembles src/audio/kernels/kernels.wat and writes what comes of it down as src/audio/kernels/KernelCode.ts: run it
// when the first has changed.
import { readFileSync, writeFileSync } from "node:fs"
import { fileURLToPath, pathToFileURL } from "node:url"
import loadWabt from "wabt"

const source = fileURLToPath(new URL("../src/audio/kernels/kernels.wat", import.meta.url))
const target = fileURLToPath(new URL("../src/audio/kernels/KernelCode.ts", import.meta.url))

/** The module's text in TypeScript. */
export const kernelCode = async () => {
  const wabt = await loadWabt()
  const module = wabt.parseWat("kernels.wat", readFileSync(source, "utf8"), { simd: true })
  module.validate()
  const { buffer } = module.toBinary({})
  const lines =
    Buffer.from(buffer)
      .toString("base64")
      .match(/.{1,100}/gu) ?? []
  return [
    "/** What kernels.wat is assembled to, by scripts/build-kernels.mjs: not to be changed by hand. */",
    "export const kernelCode = `",
    ...lines,
    "`",
    ""
  ].join("\n")
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href)
  writeFileSync(target, await kernelCode())
