import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, describe, expect, it } from "@effect/vitest"
import { ConfigProvider, Effect, Fiber, Schedule } from "effect"
import { SampleRate } from "../../../src/domain/time/Units.ts"
import { type CommandOptions, makeCommandEngine } from "../../../src/engines/program/CommandEngine.ts"
import { request } from "../speech.ts"

const folder = mkdtempSync(join(tmpdir(), "dubwright-test-"))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

let programs = 0

/** Tests that mostly wait: one beside the other. */
const besideOthers = { concurrent: true }

/** An engine that runs this program text under Node. */
const engineOf = (code: string, more: Partial<CommandOptions> = {}, args: ReadonlyArray<string> = []) => {
  const file = join(folder, `program-${++programs}.cjs`)
  writeFileSync(file, code)
  return makeCommandEngine({
    name: "local",
    command: process.execPath,
    args: [file, ...args],
    voices: [
      { id: "anna", name: "Anna", languages: ["vi"], argument: "/models/anna one.onnx" },
      { id: "bo", name: "Bo", languages: ["en"] }
    ],
    ...more
  })
}

const readInput = `let text = ""; process.stdin.setEncoding("utf8").on("data", (part) => (text += part)).on("end", () => run(text));`

const outcome = (
  code: string,
  more: Partial<CommandOptions> = {},
  args: ReadonlyArray<string> = [],
  text = "one two"
) =>
  Effect.flatMap(engineOf(code, more, args), (engine) => Effect.flip(engine.speak(request("bo", text)))).pipe(
    Effect.map((failure) => [failure._tag === "SpeechFailed" ? failure.reason : failure._tag, failure.detail])
  )

describe("a local program", () => {
  it.live("gets the text on stdin, its arguments as they are, and its output is the speech", () =>
    Effect.gen(function* () {
      const engine = yield* engineOf(
        `${readInput} const run = (text) => process.stdout.write(JSON.stringify([text, process.argv.slice(2)]))`,
        {},
        ["--model", "{voice}", "--rate={rate}", "{stretch}", "{wpm}", "$(id) {nothing} '; rm -rf /"]
      )
      expect(engine.controls).toEqual(["rate"])
      const speech = yield* engine.speak(
        request("anna", 'Tôi {voice} "15"\n$(reboot)\u0007 tuổi', { rate: 1.25 })
      )
      expect(speech._tag === "Encoded" && JSON.parse(Buffer.from(speech.bytes).toString())).toEqual([
        'Tôi {voice} "15" $(reboot) tuổi\n',
        ["--model", "/models/anna one.onnx", "--rate=1.25", "0.8", "219", "$(id) {nothing} '; rm -rf /"]
      ])
    })
  )

  it.live("may write a file, of which nothing is left behind", () =>
    Effect.gen(function* () {
      const told = join(folder, "told")
      const engine = yield* engineOf(
        `const fs = require("node:fs"); fs.writeFileSync(process.argv[2], "RIFF and so on"); fs.writeFileSync(${JSON.stringify(told)}, process.argv[2])`,
        { extension: "flac" },
        ["{output}"]
      )
      const speech = yield* engine.speak(request("bo", "one"))
      expect(speech).toEqual({
        _tag: "Encoded",
        bytes: Buffer.from("RIFF and so on"),
        words: [],
        sentences: []
      })
      const output = readFileSync(told, "utf8")
      expect(output.endsWith("speech.flac")).toBe(true)
      expect(existsSync(join(output, ".."))).toBe(false)
    })
  )

  it.live("may write bare samples", () =>
    Effect.gen(function* () {
      const engine = yield* engineOf(`process.stdout.write(Buffer.from([1, 0, 255, 255, 0, 128]))`, {
        rawRate: SampleRate.make(22_050)
      })
      expect(yield* engine.speak(request("bo", "one"))).toEqual({
        _tag: "Pcm",
        rate: 22_050,
        samples: Int16Array.from([1, -1, -32_768]),
        words: [],
        sentences: []
      })
    })
  )

  it.live("gets numbers written out where the settings say so", () =>
    Effect.gen(function* () {
      const engine = yield* engineOf(`${readInput} const run = (text) => process.stdout.write(text)`, {
        normalise: true
      })
      const speech = yield* engine.speak(request("anna", "Năm 2024, 🙂 15%."))
      expect(speech._tag === "Encoded" && Buffer.from(speech.bytes).toString()).toBe(
        "Năm hai nghìn không trăm hai mươi tư, mười lăm phần trăm.\n"
      )
    })
  )

  it.live("sees no variables but a few, and those of the settings", () =>
    Effect.gen(function* () {
      const engine = yield* engineOf(`process.stdout.write(JSON.stringify(process.env))`, {
        env: { VOICES: "/v" }
      }).pipe(
        Effect.withConfigProvider(
          ConfigProvider.fromMap(
            new Map([
              ["PATH", "/bin"],
              ["HOME", "/root"],
              ["DUBWRIGHT_API_KEY", "secret"]
            ])
          )
        )
      )
      const speech = yield* engine.speak(request("bo", "one"))
      expect(speech._tag === "Encoded" && JSON.parse(Buffer.from(speech.bytes).toString())).toEqual({
        PATH: "/bin",
        HOME: "/root",
        VOICES: "/v"
      })
    })
  )

  it.live("that fails, says nothing, or says too much is told with its last words", () =>
    Effect.gen(function* () {
      const program = JSON.stringify(process.execPath)
      expect(
        yield* outcome(`console.error("x".repeat(9000) + "\\n no such voice "); process.exit(3)`)
      ).toEqual([
        "crashed",
        `${program}: exit code 3: ${"x".repeat(400 - " no such voice".length)} no such voice`
      ])
      expect(yield* outcome(`process.kill(process.pid, "SIGSEGV")`)).toEqual([
        "crashed",
        `${program}: ended by SIGSEGV`
      ])
      expect(yield* outcome("")).toEqual(["bad-output", `${program}: it ended well but wrote no audio`])
      expect(yield* outcome("", {}, ["{output}"])).toEqual([
        "bad-output",
        `${program}: it ended well but wrote no audio`
      ])
      const endless = `setInterval(() => process.stdout.write(Buffer.alloc(65536)), 1)`
      expect(yield* outcome(endless, { maxBytes: 1_000_000 })).toEqual([
        "bad-output",
        `${program}: it wrote more than 1000000 bytes and was ended`
      ])
      const growing = `const fs = require("node:fs"); setInterval(() => fs.appendFileSync(process.argv[2], Buffer.alloc(65536)), 1)`
      expect(yield* outcome(growing, { maxBytes: 1_000_000 }, ["{output}"])).toEqual([
        "bad-output",
        `${program}: it wrote more than 1000000 bytes and was ended`
      ])
    })
  )

  it.live("that does not read its input, or writes much to stderr, still comes to its end", () =>
    Effect.gen(function* () {
      const engine = yield* engineOf(
        `process.stderr.write("y".repeat(2_000_000), () => process.stdout.write("audio", () => process.exit(0)))`,
        { maxChars: 2_000_000 }
      )
      const speech = yield* engine.speak(request("bo", "word ".repeat(200_000)))
      expect(speech._tag === "Encoded" && Buffer.from(speech.bytes).toString()).toBe("audio")
    })
  )

  it.live(
    "that takes too long is ended, with what it has started, even if it ignores SIGTERM",
    () =>
      Effect.gen(function* () {
        const pids = join(folder, "pids")
        const stubborn = `
          const { spawn } = require("node:child_process")
          process.on("SIGTERM", () => {})
          const child = spawn(process.execPath, ["-e", 'process.on("SIGTERM", () => {}); setInterval(() => {}, 1000)'], { stdio: "inherit" })
          require("node:fs").writeFileSync(${JSON.stringify(pids)}, process.pid + " " + child.pid)
          setInterval(() => {}, 1000)`
        expect(yield* outcome(stubborn, { timeout: "2 seconds" })).toEqual([
          "timeout",
          `${JSON.stringify(process.execPath)}: it took too long and was ended`
        ])
        for (const pid of readFileSync(pids, "utf8").split(" ")) yield* untilGone(Number(pid))
      }),
    besideOthers
  )

  it.live(
    "that has ended is not waited for beyond its time, and what it has left behind ends with it",
    () =>
      Effect.gen(function* () {
        const file = join(folder, "left")
        const leaving = `
          const { spawn } = require("node:child_process")
          const child = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"], { stdio: "inherit" })
          require("node:fs").writeFileSync(${JSON.stringify(file)}, String(child.pid))
          process.exit(0)`
        expect((yield* outcome(leaving, { timeout: "2 seconds" }))[0]).toBe("timeout")
        yield* untilGone(Number(readFileSync(file, "utf8")))
      }),
    besideOthers
  )

  it.live("ends when its request is interrupted", () =>
    Effect.gen(function* () {
      const file = join(folder, "pid")
      const engine = yield* engineOf(
        `require("node:fs").writeFileSync(${JSON.stringify(file)}, String(process.pid)); setInterval(() => {}, 1000)`
      )
      const fiber = yield* Effect.fork(engine.speak(request("bo", "one")))
      yield* Effect.repeat(
        Effect.sync(() => existsSync(file) && readFileSync(file, "utf8") !== ""),
        {
          schedule: Schedule.spaced("20 millis"),
          until: (written) => written
        }
      )
      yield* Fiber.interrupt(fiber)
      yield* untilGone(Number(readFileSync(file, "utf8")))
    })
  )

  it.live("that is not there makes the engine unavailable, and so says its check", () =>
    Effect.gen(function* () {
      const missing = yield* makeCommandEngine({
        name: "piper",
        command: "no-such-program",
        args: [],
        voices: [{ id: "bo", name: "Bo", languages: [] }]
      })
      expect((yield* Effect.flip(missing.check)).message).toBe(
        'engine piper is unavailable: no program "no-such-program": install it or give its path'
      )
      expect((yield* Effect.flip(missing.speak(request("bo", "one")))).message).toBe(
        'engine piper is unavailable: "no-such-program": ENOENT: expected a program that can be run; install it or give its path'
      )
      const plain = join(folder, "plain.txt")
      writeFileSync(plain, "no program")
      chmodSync(plain, 0o644)
      const unready = yield* makeCommandEngine({ name: "piper", command: plain, args: [], voices: [] })
      expect((yield* Effect.flip(unready.check))._tag).toBe("EngineUnavailable")
      yield* (yield* engineOf("")).check
    })
  )

  it.live("is not started for an unknown voice, text that says nothing, or too much text", () =>
    Effect.gen(function* () {
      const engine = yield* engineOf("process.exit(1)", { maxChars: 10 })
      const failures = yield* Effect.forEach(
        [request("eve", "one"), request("bo", "…"), request("bo", "more than ten")],
        (asked) => Effect.map(Effect.flip(engine.speak(asked)), (failure) => failure.message)
      )
      expect(failures).toEqual([
        'engine local: no voice "eve": expected one of anna, bo',
        "engine local: the text has nothing that can be said: expected at least one word or number",
        "engine local: the text has 13 characters: at most 10 are taken"
      ])
    })
  )

  it.live("runs at most as often at once as the settings say", () =>
    Effect.gen(function* () {
      const counter = join(folder, "running")
      const engine = yield* engineOf(
        `const fs = require("node:fs"); const mark = ${JSON.stringify(counter)} + process.pid; fs.writeFileSync(mark, "")
         const running = fs.readdirSync(${JSON.stringify(folder)}).filter((name) => name.startsWith("running")).length
         setTimeout(() => { fs.rmSync(mark); process.stdout.write(String(running)) }, 50)`,
        { concurrency: 2 }
      )
      const speeches = yield* Effect.forEach([1, 2, 3, 4, 5, 6], () => engine.speak(request("bo", "one")), {
        concurrency: 6
      })
      for (const speech of speeches) {
        expect(speech._tag === "Encoded" && Number(Buffer.from(speech.bytes).toString())).toBeLessThanOrEqual(
          2
        )
      }
    })
  )
})

/** Waits until there is no such process. */
const untilGone = (pid: number) =>
  Effect.repeat(
    Effect.sync(() => {
      try {
        process.kill(pid, 0)
        return false
      } catch {
        return true
      }
    }),
    { schedule: Schedule.spaced("20 millis"), until: (gone) => gone }
  )
