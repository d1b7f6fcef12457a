/**
 * `watch` dubs each new file once. Files may grow, be moved in whole, vanish, have faults, or come in numbers:
 * `DUBWRIGHT_WATCH` sets how many come at once.
 */
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync
} from "node:fs"
import { join } from "node:path"
import { expect, test, vi } from "vitest"
import { emptyFolder, start } from "../process.ts"

const cue = (number: number, words: string): string =>
  `${number}\n00:00:0${number},000 --> 00:00:0${number},900\n${words}\n\n`

const crowd = Number(process.env["DUBWRIGHT_WATCH"] ?? 12)

vi.setConfig({ testTimeout: 120_000 + crowd * 1_000 })

/** Waits until a condition holds. */
const until = async (holds: () => boolean): Promise<void> => {
  while (!holds()) await new Promise((wait) => setTimeout(wait, 50))
}

test("watch dubs each file that arrives once, and waits for the others", async () => {
  const folder = emptyFolder()
  const at = (name: string) => join(folder, name)
  const has = (id: string) => existsSync(at(`out/${id}/report.json`))
  const report = (id: string) => JSON.parse(readFileSync(at(`out/${id}/report.json`), "utf8"))
  mkdirSync(at("subs"))
  writeFileSync(
    at("season.yaml"),
    'defaults: { voice: os-slt, provider: provider_opensource, outputs: [wav] }\njobs: [{ input: "subs/{episode}.srt", sheet: "subs/{episode}.csv", id: "{episode}" }]\n'
  )
  const watch = start(["watch", "season.yaml", "--embedded", "--settle", "1", "--every", "0.1", "--events"], {
    cwd: folder
  })
  const events: Array<string> = []
  watch.child.stderr?.on("data", (text: string) => events.push(text))
  const said = () => events.join("")
  const sheet = (episode: string) => writeFileSync(at(`subs/${episode}.csv`), "cues,speaker\n1,Anna\n")
  await until(() => said().includes("waiting for files"))

  // A file that is written in pieces is not dubbed before it is complete.
  sheet("E1")
  for (let number = 1; number <= 4; number++) {
    appendFileSync(at("subs/E1.srt"), cue(number, `Line ${number} of the first.`))
    await new Promise((wait) => setTimeout(wait, 400))
    expect(has("E1")).toBe(false)
  }
  await until(() => has("E1"))
  expect(report("E1").cues).toHaveLength(4)

  // One file is moved in whole, one has a fault, and one lacks its sheet.
  writeFileSync(at("E2.tmp"), cue(1, "The second one."))
  for (const episode of ["E2", "E3"]) sheet(episode)
  writeFileSync(at("subs/E3.srt"), Buffer.from([0x50, 0x4b, 3, 4, 0, 0, 0, 0]))
  writeFileSync(at("subs/E4.srt"), cue(1, "Without its sheet."))
  renameSync(at("E2.tmp"), at("subs/E2.srt"))
  await until(() => has("E2"))
  await until(() => said().includes("E3.srt"))
  expect(has("E3") || has("E4")).toBe(false)

  // The fault is corrected, the sheet arrives, and a new file vanishes before it has settled.
  writeFileSync(at("subs/E3.srt"), cue(1, "The third one, mended."))
  sheet("E4")
  sheet("E5")
  writeFileSync(at("subs/E5.srt"), cue(1, "Gone again."))
  rmSync(at("subs/E5.srt"))
  await until(() => has("E3") && has("E4"))

  // Many at once: by turns moved here whole, growing, moved here, and vanishing a few files later.
  const turn = (index: number) => ["moved", "growing", "moved", "vanishing"][index % 4]
  const [whole, script] = [
    (index: number) => cue(1, `Line ${index} of many.`),
    (index: number) => at(`subs/M${index}.srt`)
  ]
  const later = (index: number) => {
    if (index < 0 || index >= crowd) return
    if (turn(index) === "growing") appendFileSync(script(index), whole(index).slice(20))
    if (turn(index) === "vanishing") rmSync(script(index))
  }
  for (let index = 0; index < crowd + 4; index++) {
    later(index - 4)
    if (index >= crowd) continue
    sheet(`M${index}`)
    if (turn(index) === "growing") writeFileSync(script(index), whole(index).slice(0, 20))
    else {
      writeFileSync(at("M.tmp"), whole(index))
      renameSync(at("M.tmp"), script(index))
    }
  }
  const kept = Array.from({ length: crowd }, (_, index) => index).filter(
    (index) => turn(index) !== "vanishing"
  )
  await until(() => kept.every((index) => has(`M${index}`)))
  watch.child.kill("SIGTERM")
  const { code, stderr } = await watch.ended
  expect(code).toBe(143)
  expect(has("E5")).toBe(false)
  const sent = stderr.split("\n").flatMap((line) => /"Submitted".*"utterance":"(\w+)"/u.exec(line)?.[1] ?? [])
  expect(new Set(sent).size).toBe(sent.length)
  expect(sent.length).toBeGreaterThanOrEqual(7 + kept.length)
  expect(sent.length, "at most the files that vanish besides").toBeLessThanOrEqual(7 + crowd)
})

test("watch counts the credits of its batches, and stops at --max-credits", async () => {
  const folder = emptyFolder()
  const has = (id: string) => existsSync(join(folder, `out/${id}/${id}.wav`))
  writeFileSync(
    join(folder, "season.yaml"),
    'defaults: { voice: os-slt, provider: provider_opensource, outputs: [wav] }\njobs: [{ input: "*.srt" }]\n'
  )
  // A line costs 6 credits: the third one is too much for 15.
  const options = ["--embedded", "--settle", "0.1", "--every", "0.1", "--max-credits", "15"]
  const watch = start(["watch", "season.yaml", ...options], { cwd: folder })
  for (const [at, id] of ["E1", "E2", "E3"].entries()) {
    writeFileSync(join(folder, `${id}.srt`), cue(1, `Good evening, number ${at + 1}.`))
    if (id !== "E3") await until(() => has(id))
  }
  const { code, stderr } = await watch.ended
  expect([code, ["E1", "E2", "E3"].map(has)]).toEqual([4, [true, true, false]])
  expect(stderr).toContain("--max-credits")
})
