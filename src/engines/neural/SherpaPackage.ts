/** Finds sherpa-onnx, which is not part of the installation: its native build takes 33 MB. */
import { createRequire } from "node:module"
import { dirname, join } from "node:path"
import type { OpenRequest } from "./SherpaProtocol.ts"

/** The version that the tests use. */
export const sherpaVersion = "1.13.8"

/** How to install it. musl (Alpine Linux) and FreeBSD have no native build, so they need the one in WebAssembly. */
export const sherpaAdvice =
  `sherpa-onnx is not installed; run npm install -g sherpa-onnx-node@${sherpaVersion} ` +
  `(on Alpine Linux and other systems without a native build: sherpa-onnx@${sherpaVersion})`

/** Returns the installed builds of sherpa-onnx, the native one first. Loads none of them. */
export const sherpaPackages = (): OpenRequest["packages"] => [
  ...located("sherpa-onnx-node").map((file) => ({ kind: "native" as const, file })),
  ...located("sherpa-onnx").map((file) => ({ kind: "wasm" as const, file }))
]

/** Looks beside this program, then among the packages that npm has installed globally. */
const located = (name: string): ReadonlyArray<string> => {
  const prefix = dirname(process.execPath)
  const shared = process.platform === "win32" ? prefix : join(prefix, "..", "lib")
  const own = createRequire(import.meta.url)
  for (const from of [own, createRequire(join(shared, "package.json"))]) {
    try {
      return [from.resolve(name)]
    } catch {
      // It is not installed.
    }
  }
  return []
}
