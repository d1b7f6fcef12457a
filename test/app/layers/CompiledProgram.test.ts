/** The program's compiled code, kept between runs of Node 20. */
import {
  chmodSync,
  existsSync,
  readdirSync,
  readFileSync,
  statSync,
  utimesSync,
  writeFileSync
} from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { compiledProgram } from "../../../src/app/layers/CompileCache.ts"
import { emptyFolder } from "../process.ts"

/** A program of two files that require each other, and Node's path. */
const program = () => {
  const folder = emptyFolder()
  const store = join(folder, "kept", "v20-x64-1.code")
  writeFileSync(
    join(folder, "Program.cjs"),
    `exports.name = require("node:path").basename(__filename)
exports.sum = require("./chunk-ABCD1234.cjs").sum(2, 3)
exports.own = [typeof module, __dirname === ${JSON.stringify(folder)}, require.resolve("node:fs")]`
  )
  writeFileSync(
    join(folder, "chunk-ABCD1234.cjs"),
    `const other = require("./Program.cjs")
exports.sum = (a, b) => (other.name === "Program.cjs" ? a + b : undefined)`
  )
  return { folder, store }
}

const run = ({ folder, store }: ReturnType<typeof program>, command: string) => {
  const { load, keep } = compiledProgram(folder, store, command)
  const made = load("Program.cjs")
  expect(load("Program.cjs")).toBe(made)
  keep()
  expect(made).toEqual({ name: "Program.cjs", sum: 5, own: ["object", true, "node:fs"] })
}

const headOf = (store: string) => readFileSync(store, "latin1").split("\n")[0] ?? ""

test("a second run of a command uses the code that the first one kept, and writes nothing", () => {
  const one = program()
  run(one, "plan")
  expect(headOf(one.store)).toContain("chunk-ABCD1234.cjs")
  const { ino } = statSync(one.store)
  run(one, "plan")
  expect(statSync(one.store).ino).toBe(ino)
  run(one, "run")
  expect(statSync(one.store).ino).not.toBe(ino)
  expect(JSON.parse(headOf(one.store))).toMatchObject({ commands: ["plan", "run"] })
})

test("replaces damaged code without passing it to V8", () => {
  const one = program()
  run(one, "plan")
  const whole = readFileSync(one.store)
  const damaged = Buffer.from(whole)
  damaged.writeUInt8(whole.readUInt8(whole.length - 9) ^ 1, whole.length - 9)
  for (const bytes of [damaged, whole.subarray(0, -100), Buffer.from("{"), Buffer.alloc(0)]) {
    writeFileSync(one.store, bytes)
    run(one, "plan")
    expect(headOf(one.store)).toContain("chunk-ABCD1234.cjs")
    expect(statSync(one.store).size).toBeGreaterThan(whole.length - 100)
  }
})

test("names its own files in errors, not those of another installation of the same build", () => {
  const [one, other] = [program(), program()]
  for (const { folder } of [one, other])
    writeFileSync(join(folder, "Program.cjs"), 'exports.where = () => new Error("").stack')
  for (const { folder } of [one, other]) {
    const { load, keep } = compiledProgram(folder, one.store, "plan")
    const made = load("Program.cjs")
    if (typeof made !== "object" || made === null || !("where" in made)) throw new Error("not loaded")
    expect(typeof made.where === "function" && made.where()).toContain(join(folder, "Program.cjs"))
    keep()
  }
})

test("compiles a file anew if its length has changed", () => {
  const one = program()
  run(one, "plan")
  const file = join(one.folder, "Program.cjs")
  writeFileSync(file, `${readFileSync(file, "utf8")}\nexports.more = 1`)
  const { load } = compiledProgram(one.folder, one.store, "plan")
  expect(load("Program.cjs")).toMatchObject({ more: 1, sum: 5 })
})

test("runs even if it cannot write the folder", () => {
  const one = program()
  const blocked = join(one.folder, "file")
  writeFileSync(blocked, "")
  chmodSync(blocked, 0o400)
  run({ ...one, store: join(blocked, "code") }, "plan")
  expect(existsSync(join(blocked, "code"))).toBe(false)
})

test("keeps the code of the latest three versions, and no other program's files", () => {
  const { folder, store } = program()
  run({ folder, store }, "plan")
  const kept = join(folder, "kept")
  for (const [age, name] of [
    "v20-x64-2.code",
    "v22-x64-3.code",
    "v20-x64-4.code",
    "v20-x64-5.code.77",
    "other"
  ].entries()) {
    writeFileSync(join(kept, name), "")
    utimesSync(join(kept, name), 1_000 - age, 1_000 - age)
  }
  run({ folder, store }, "run")
  expect(readdirSync(kept).sort()).toEqual(["other", "v20-x64-1.code", "v20-x64-2.code", "v22-x64-3.code"])
})
