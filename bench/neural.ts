/**
 * Measures what the engine of neural voices adds to the model's own work. The engine and a plain process with the same
 * model speak the same lines in turn, so a busy machine slows both alike. Processor time includes the processes that
 * hold the models. Prints the figures so far about twenty times, so that a long measurement may be stopped.
 *
 *     node bench/run.mjs neural FOLDER [lines] [native|wasm] [package's entry file]
 */
import { type ChildProcess, fork } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect } from "effect"
import { espeakDataFolder } from "../src/engines/neural/EspeakData.ts"
import { checkModel } from "../src/engines/neural/ModelFolder.ts"
import { makeSherpaEngine } from "../src/engines/neural/SherpaEngine.ts"
import { sherpaPackages } from "../src/engines/neural/SherpaPackage.ts"

const [folder = "", count = "40", kind = "native", entry] = process.argv.slice(2)
const lines = [
  "The weather is nice today, and I feel very relaxed.",
  "Please close the door behind you when you leave the room tonight.",
  "He never told anyone where the money had come from, not even his wife.",
  "Yes.",
  "I do not think that this is a good idea.",
  "We have been waiting here for more than three hours already.",
  "Where did you put the keys?",
  "The train to the north leaves from platform nine in ten minutes.",
  "Nobody knows what will happen next.",
  "She smiled, turned around, and walked slowly back to the house."
]

/** Processor time of this process and its children so far, in ms. */
const processorTime = (): number => {
  const { user, system } = process.cpuUsage()
  const children = readFileSync(`/proc/self/task/${process.pid}/children`, "utf8").trim().split(" ")
  const ticks = children
    .filter((id) => id !== "")
    .map((id) =>
      readFileSync(`/proc/${id}/stat`, "utf8")
        .replace(/^.*\) /u, "")
        .split(" ")
    )
    .reduce((sum, fields) => sum + Number(fields[11]) + Number(fields[12]), 0)
  return (user + system) / 1000 + ticks * 10
}

const cache = mkdtempSync(join(tmpdir(), "bench-neural-"))
const { config } = await checkModel(folder, {
  cache,
  steady: true,
  espeakData: () => espeakDataFolder(cache)
})
const found = sherpaPackages().find((one) => one.kind === "native")
if (found === undefined) throw new Error("sherpa-onnx-node is not installed")
const packages = kind === "wasm" ? [{ kind: "wasm" as const, file: entry ?? "" }] : [found]

/** The plain process: one model, one message a line, as 16-bit samples. */
const plain = join(cache, "plain.cjs")
writeFileSync(
  plain,
  `const { OfflineTts } = require(${JSON.stringify(found.file)})
  OfflineTts.createAsync({ model: { ...${JSON.stringify(config)}, numThreads: 1, provider: "cpu", debug: false }, maxNumSentences: 1 }).then((tts) => {
    process.on("message", async (text) => {
      const { samples } = await tts.generateAsync({ text, generationConfig: { sid: 0, speed: 1, silenceScale: 1 } })
      process.send({ rate: tts.sampleRate, pcm: Int16Array.from(samples, (one) => Math.round(32767 * Math.max(-1, Math.min(1, one)))) })
    })
    process.send("ready")
  })`
)

const nextMessage = (child: ChildProcess) =>
  Effect.async<{ readonly rate: number; readonly pcm: Int16Array }>((resume) => {
    child.once("message", (message: { readonly rate: number; readonly pcm: Int16Array }) =>
      resume(Effect.succeed(message))
    )
  })

const program = Effect.gen(function* () {
  const child = fork(plain, { serialization: "advanced", silent: true })
  yield* Effect.addFinalizer(() => Effect.sync(() => child.kill("SIGKILL")))
  yield* nextMessage(child)
  const engine = yield* makeSherpaEngine({
    name: "neural",
    voices: [{ id: "voice", name: "Voice", path: folder }],
    cache,
    packages,
    processes: 1
  })
  const voice = (yield* engine.voices)[0]?.id ?? ""
  const own = (text: string) =>
    Effect.map(engine.speak({ text, voice, rate: 1, volume: 1, pitch: 0 }), (speech) =>
      speech._tag === "Pcm" ? speech.samples.length / speech.rate : 0
    )
  const lab = (text: string) =>
    Effect.suspend(() => {
      child.send(text)
      return Effect.map(nextMessage(child), ({ rate, pcm }) => pcm.length / rate)
    })
  const totals = { own: { ms: 0, wall: 0, seconds: 0 }, plain: { ms: 0, wall: 0, seconds: 0 } }
  const timed = (name: "own" | "plain", speak: Effect.Effect<number, unknown>) =>
    Effect.gen(function* () {
      const [before, from] = [processorTime(), performance.now()]
      const seconds = yield* speak
      totals[name].ms += processorTime() - before
      totals[name].wall += performance.now() - from
      totals[name].seconds += seconds
    })
  // Load and warm both.
  yield* own(lines[0] ?? "")
  yield* lab(lines[0] ?? "")
  const each = Math.max(1, Math.round(Number(count) / 20))
  for (let index = 0; index < Number(count); index++) {
    const text = lines[index % lines.length] ?? ""
    const turns = [timed("own", own(text)), timed("plain", lab(text))]
    yield* Effect.all(index % 2 === 0 ? turns : turns.toReversed())
    const spoken = index + 1
    if (spoken % each !== 0 && spoken < Number(count)) continue
    const figures = Object.entries(totals).map(
      ([name, { ms, wall, seconds }]) =>
        `${name} ${(ms / spoken).toFixed(1)} ms of processor, ${(wall / spoken).toFixed(1)} ms, ${(seconds / spoken).toFixed(2)} s of speech a line`
    )
    const ratios = `ratio ${(totals.own.ms / totals.plain.ms).toFixed(3)} of processor, ${(totals.own.wall / totals.plain.wall).toFixed(3)} of time`
    console.log([`${spoken} lines`, ...figures, ratios].join("; "))
  }
})

await Effect.runPromise(Effect.scoped(program))
rmSync(cache, { recursive: true, force: true })
