/** A batch in S3: its files are copied to this machine, and its results back. Only what has changed is copied. */
import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest"
import { checksumsOf } from "../../fleet/FleetCommands.ts"
import { S3Server } from "../../system/S3Server.ts"
import { emptyFolder, run } from "../process.ts"

const place = "s3://audio/shows/season 1"
const prefix = "shows/season 1/"
const cue = (text: string) => Buffer.from(`1\n00:00:00,500 --> 00:00:03,500\n${text}\n`)
const manifest = `service: embedded
defaults: { provider: provider_opensource, voice: os-slt, outputs: [wav, srt] }
jobs: [{ input: "*.srt" }]
`

let s3: S3Server
beforeAll(async () => {
  s3 = await S3Server.start()
})
afterAll(() => s3.stop())
beforeEach(() => {
  s3.objects.clear()
  s3.isDown = false
  s3.objects.set(`${prefix}batch.yaml`, Buffer.from(manifest))
  s3.objects.set(`${prefix}ep1.srt`, cue("Good evening."))
  s3.objects.set(`${prefix}ep2.srt`, cue("The train leaves at nine."))
  s3.objects.set(`${prefix}notes/`, Buffer.alloc(0))
  s3.objects.set(`${prefix}../outside.srt`, cue("Outside."))
})

/** A machine of its own, with the names of the objects that it stores. */
const machine = async () => {
  const home = emptyFolder()
  const stored: Array<string> = []
  const env = {
    ...(await s3.endpoint((name) => stored.push(name))),
    ...{ XDG_DATA_HOME: join(home, "data"), XDG_CACHE_HOME: join(home, "cache") }
  }
  return {
    dubwright: async (
      words: ReadonlyArray<string>,
      more: Readonly<Record<string, string>> = {},
      cwd = home
    ) => {
      stored.length = 0
      const ran = await run(words, { cwd, env: { ...env, ...more } })
      return { ...ran, stored: stored.toSorted() }
    }
  }
}

const filesIn = (folder: string) =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => statSync(join(folder, name)).isFile())
    .sort()

const results = (below: string) => [...s3.objects.keys()].filter((name) => name.startsWith(below)).sort()

test("runs a manifest in S3, again, after changes, and on another machine", async () => {
  const { dubwright } = await machine()
  const batch = `${place}/batch.yaml`
  const planned = await dubwright(["plan", batch, "--json"])
  expect([planned.code, JSON.parse(planned.stdout).jobs.length, planned.stored]).toEqual([0, 2, []])

  const first = await dubwright(["run", batch])
  expect(first.code, first.stderr).toBe(0)
  const folder = /its files, its state and its results are in (\S+)/u.exec(first.stderr)?.[1] ?? ""
  expect(first.stored).toEqual(filesIn(join(folder, "out")).map((name) => `${prefix}out/${name}`))
  expect(first.stored).toEqual(
    expect.arrayContaining(
      ["ep1/ep1.wav", "ep2/ep2.srt", "index.html", "run.json"].map((name) => `${prefix}out/${name}`)
    )
  )
  for (const name of first.stored)
    expect(s3.objects.get(name)).toEqual(readFileSync(join(folder, name.slice(prefix.length))))

  // Nothing changed: the delivered files are not sent again.
  const again = await dubwright(["run", batch])
  expect([again.code, again.stored.filter((name) => /\.(?:wav|srt)$/u.test(name))]).toEqual([0, []])

  // A changed subtitle, a deleted one, and a result that somebody deleted in the bucket.
  s3.objects.set(`${prefix}ep1.srt`, cue("Good morning."))
  s3.objects.delete(`${prefix}ep2.srt`)
  s3.objects.delete(`${prefix}out/ep1/ep1.srt`)
  const changed = await dubwright(["run", batch])
  expect(changed.code, changed.stderr).toBe(0)
  expect(changed.stored.filter((name) => /\.(?:wav|srt)$/u.test(name))).toEqual([
    `${prefix}out/ep1/ep1.srt`,
    `${prefix}out/ep1/ep1.wav`
  ])

  // Without its state, another machine makes the same sound.
  const before = s3.objects.get(`${prefix}out/ep1/ep1.wav`)
  const other = await (await machine()).dubwright(["run", batch])
  expect(other.code, other.stderr).toBe(0)
  expect(s3.objects.get(`${prefix}out/ep1/ep1.wav`)).toEqual(before)
})

test("runs files in S3, and copies results of local files to S3", async () => {
  const { dubwright } = await machine()
  const cwd = emptyFolder()
  const voice = ["--provider", "provider_opensource", "--voice", "os-slt", "--embedded"]
  const near = await dubwright(["run", `${place}/ep1.srt`, `${place}/ep2.srt`, ...voice], {}, cwd)
  expect([near.code, near.stored], near.stderr).toEqual([0, []])
  expect(Object.keys(checksumsOf(join(cwd, "out")))).toEqual(
    expect.arrayContaining(["ep1/ep1.wav", "ep2/ep2.wav"])
  )

  writeFileSync(join(cwd, "own.srt"), cue("Our own."))
  const sent = await dubwright(["run", "own.srt", "--out", "s3://audio/results/", ...voice], {}, cwd)
  expect(sent.code, sent.stderr).toBe(0)
  expect(results("results/")).toEqual(sent.stored)
  expect(s3.objects.get("results/own/own.wav")).toEqual(readFileSync(join(cwd, "out/own/own.wav")))

  // What is gone from the folder is deleted from the bucket, if it came from there.
  s3.objects.set("results/foreign.txt", Buffer.from("mine"))
  writeFileSync(join(cwd, "out/own/notes.txt"), "notes")
  const onward = ["run", "own.srt", "--out", "s3://audio/results", ...voice]
  expect((await dubwright(onward, {}, cwd)).stored).toContain("results/own/notes.txt")
  rmSync(join(cwd, "out/own/notes.txt"))
  expect((await dubwright(onward, {}, cwd)).code).toBe(0)
  expect(results("results/")).toContain("results/foreign.txt")
  expect(results("results/")).not.toContain("results/own/notes.txt")
})

test("says in one line what is wrong", async () => {
  const { dubwright } = await machine()
  const failed = async (words: ReadonlyArray<string>, env = {}) => {
    const { code, stdout, stderr } = await dubwright(words, env)
    return { code, stdout, stderr }
  }
  const line = (code: number, words: string) => ({ code, stdout: "", stderr: `dubwright: ${words}\n` })
  const check = "check the address and the AWS_ variables, and run again"
  expect(await failed(["run", `${place}/none.yaml`])).toEqual(
    line(2, `${place}: it has no none.yaml; ${check}`)
  )
  expect(await failed(["run", "s3://nowhere/a.srt"])).toEqual(
    line(2, `s3://nowhere: it has no a.srt; ${check}`)
  )
  expect(await failed(["run", `${place}/*.srt`])).toEqual(
    line(2, `${place}/*.srt: a pattern; name a manifest or files, patterns can be in the manifest`)
  )
  expect(await failed(["run", `${place}/ep1.srt`, "b.srt"])).toEqual(
    line(2, "b.srt: expected all inputs in S3, or all on this machine")
  )
  expect(await failed(["run", "s3://audio"])).toEqual(
    line(2, "s3://audio: expected a file (example: s3://BUCKET/season1/batch.yaml)")
  )
  expect(await failed(["run", `${place}/batch.yaml`], { AWS_SECRET_ACCESS_KEY: "wrong" })).toEqual(
    line(2, `${place}: HTTP 403, SignatureDoesNotMatch: refused & logged; ${check}`)
  )
  s3.isDown = true
  const down = await failed(["run", `${place}/batch.yaml`])
  expect([down.code, down.stderr]).toEqual([
    3,
    `dubwright: ${place}: HTTP 503, SlowDown: refused & logged; ${check}\n`
  ])
})
