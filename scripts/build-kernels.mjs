// Assembles src/audio/kernels/kernels.wat into src/audio/kernels/KernelCode.ts. Run it after changing the former.
import { readFileSync, writeFileSync } from "node:fs"
import { fileURLToPath, pathToFileURL } from "node:url"
import loadWabt from "wabt"

const source = fileURLToPath(new URL("../src/audio/kernels/kernels.wat", import.meta.url))
const target = fileURLToPath(new URL("../src/audio/kernels/KernelCode.ts", import.meta.url))

/** Returns the text of the TypeScript module. */
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
    "/** Generated from kernels.wat by scripts/build-kernels.mjs; do not edit. */",
    "export const kernelCode = `",
    ...lines,
    "`",
    ""
  ].join("\n")
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href)
  writeFileSync(target, await kernelCode())
