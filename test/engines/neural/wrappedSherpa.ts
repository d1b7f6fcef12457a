/** The real sherpa-onnx behind a package that logs its process and its texts, and hangs or crashes on demand. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Effect, Schedule } from "effect"
import { sherpaPackages } from "../../../src/engines/neural/SherpaPackage.ts"

/** One call of the package. */
export interface LoggedCall {
  readonly process: number
  readonly text: string
}

const source = (file: string, log: string) => `
const { appendFileSync } = require("node:fs")
const { OfflineTts } = require(${JSON.stringify(file)})
exports.OfflineTts = {
  createAsync: async (config) => {
    appendFileSync(${JSON.stringify(settingsFile(log))}, JSON.stringify(config) + "\\n")
    const voice = await OfflineTts.createAsync(config)
    return {
      sampleRate: voice.sampleRate,
      numSpeakers: voice.numSpeakers,
      generateAsync: (request) => {
        appendFileSync(${JSON.stringify(log)}, JSON.stringify({ process: process.pid, text: request.text }) + "\\n")
        if (request.text.includes("abort")) process.abort()
        if (request.text.includes("exit")) process.exit(255)
        if (request.text.includes("hang")) return new Promise(() => undefined)
        if (request.text.includes("reject")) return Promise.reject(new Error("cannot say " + request.text))
        return voice.generateAsync(request)
      }
    }
  }
}
`

/** The build in WebAssembly behind a package that logs the settings of its voices. */
const wasmSource = (file: string, log: string) => `
const { appendFileSync } = require("node:fs")
const { createOfflineTts } = require(${JSON.stringify(file)})
exports.createOfflineTts = (config) => {
  appendFileSync(${JSON.stringify(settingsFile(log))}, JSON.stringify(config) + "\\n")
  return createOfflineTts(config)
}
`

const settingsFile = (log: string): string => `${log}.settings`

const linesOf = (file: string) =>
  readFileSync(file, "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line))

/** Writes the package into a folder; `kind` is the build behind it. */
export const wrappedSherpa = (folder: string, kind: "native" | "wasm" = "native") => {
  const build = sherpaPackages().find((each) => each.kind === kind)
  if (build === undefined) throw new Error("sherpa-onnx-node or sherpa-onnx is not installed; run npm ci")
  mkdirSync(folder, { recursive: true })
  const file = join(folder, "wrapped.cjs")
  const log = join(folder, "calls.jsonl")
  writeFileSync(file, (kind === "native" ? source : wasmSource)(build.file, log))
  writeFileSync(log, "")
  writeFileSync(settingsFile(log), "")
  const calls = (): ReadonlyArray<LoggedCall> => linesOf(log)
  return {
    packages: [{ kind, file }],
    calls,
    /** The settings with which voices were loaded. */
    settings: (): ReadonlyArray<unknown> => linesOf(settingsFile(log)),
    /** Waits until a text has been passed to the package; returns its process. */
    called: (text: string) =>
      Effect.sync(() => calls().findLast((call) => call.text.includes(text))?.process).pipe(
        Effect.flatMap((found) => (found === undefined ? Effect.fail("not yet") : Effect.succeed(found))),
        Effect.retry(Schedule.spaced("10 millis"))
      )
  }
}

/** Whether a process exists. */
export const isRunning = (id: number): boolean => {
  try {
    process.kill(id, 0)
    return true
  } catch {
    return false
  }
}
