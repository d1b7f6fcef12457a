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

/** Options of tests that mostly wait and can run concurrently. */
const besideOthers = { concurrent: true }

/** An engine that runs the given program text with Node. */
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
  it.live("receives the text on stdin and verbatim arguments, and its output is the speech", () =>
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

  it.live("may write a file, which is deleted afterwards", () =>
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

  it.live("may write raw samples", () =>
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

  it.live("receives numbers written out if set", () =>
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

  it.live("sees only a few environment variables, and those in the settings", () =>
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

  it.live("that fails, or writes nothing or too much, is reported with the end of its stderr", () =>
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
      expect(yield* outcome("")).toEqual([
        "bad-output",
        `${program}: it exited with code 0 but wrote no audio`
      ])
      expect(yield* outcome("", {}, ["{output}"])).toEqual([
        "bad-output",
        `${program}: it exited with code 0 but wrote no audio`
      ])
      const endless = `setInterval(() => process.stdout.write(Buffer.alloc(65536)), 1)`
      expect(yield* outcome(endless, { maxBytes: 1_000_000 })).toEqual([
        "bad-output",
        `${program}: it wrote more than 1000000 bytes and was killed`
      ])
      const growing = `const fs = require("node:fs"); setInterval(() => fs.appendFileSync(process.argv[2], Buffer.alloc(65536)), 1)`
      expect(yield* outcome(growing, { maxBytes: 1_000_000 }, ["{output}"])).toEqual([
        "bad-output",
        `${program}: it wrote more than 1000000 bytes and was killed`
      ])
    })
  )

  it.live("may ignore its input and write a lot to stderr", () =>
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
    "that exceeds its timeout is killed with its children, even if they ignore SIGTERM",
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
          `${JSON.stringify(process.execPath)}: it exceeded its timeout and was killed`
        ])
        for (const pid of readFileSync(pids, "utf8").split(" ")) yield* untilGone(Number(pid))
      }),
    besideOthers
  )

  it.live(
    "that has exited but left a child with open output times out, and the child is killed",
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

  it.live("is killed when its request is interrupted", () =>
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

  it.live("that does not exist makes the engine unavailable, as its check reports", () =>
    Effect.gen(function* () {
      const missing = yield* makeCommandEngine({
        name: "piper",
        command: "no-such-program",
        args: [],
        voices: [{ id: "bo", name: "Bo", languages: [] }]
      })
      expect((yield* Effect.flip(missing.check)).message).toBe(
        'engine piper is unavailable: no program "no-such-program"; install it or set its path'
      )
      expect((yield* Effect.flip(missing.speak(request("bo", "one")))).message).toBe(
        'engine piper is unavailable: "no-such-program": ENOENT: expected an executable program; install it or set its path'
      )
      const plain = join(folder, "plain.txt")
      writeFileSync(plain, "no program")
      chmodSync(plain, 0o644)
      const unready = yield* makeCommandEngine({ name: "piper", command: plain, args: [], voices: [] })
      expect((yield* Effect.flip(unready.check))._tag).toBe("EngineUnavailable")
      yield* (yield* engineOf("")).check
    })
  )

  it.live("is not started for an unknown voice, a text with nothing to say, or too long a text", () =>
    Effect.gen(function* () {
      const engine = yield* engineOf("process.exit(1)", { maxChars: 10 })
      const failures = yield* Effect.forEach(
        [request("eve", "one"), request("bo", "…"), request("bo", "more than ten")],
        (asked) => Effect.map(Effect.flip(engine.speak(asked)), (failure) => failure.message)
      )
      expect(failures).toEqual([
        'engine local: no voice "eve"; expected one of anna, bo',
        "engine local: the text has nothing to speak; expected at least one word or number",
        "engine local: the text has 13 characters, more than the maximum of 10; split it"
      ])
    })
  )

  it.live("runs at most as many times at once as set", () =>
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

/** Waits until the process has ended. */
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
