/** Ambiguous subtitles: the command proposes, warns or fails before it sends anything. */
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { runHere } from "./cli/inProcess.ts"
import { emptyFolder } from "./process.ts"

/** Returns an SRT of these texts, two seconds each. */
const srt = (texts: ReadonlyArray<string>): string =>
  texts
    .map((text, i) => {
      const time = (seconds: number) =>
        `00:${`${Math.floor(seconds / 60)}`.padStart(2, "0")}:${`${seconds % 60}`.padStart(2, "0")},000`
      return `${i + 1}\n${time(i * 2)} --> ${time(i * 2 + 2)}\n${text}\n`
    })
    .join("\n")

test("plan and init propose stickySpeakers if many cues after named speakers are unnamed", async () => {
  const cwd = emptyFolder()
  const dialogue = ["ANNA: Come in.", "It is cold.", "Sit down.", "BO: Thanks.", "I will.", "It is.", "Well."]
  writeFileSync(join(cwd, "film.en.srt"), srt(dialogue))
  const plan = await runHere(
    ["plan", "film.en.srt", "--embedded", "--voice", "en-anna", "--provider", "provider_native"],
    { cwd }
  )
  expect(plan.stderr).toBe(
    "hint: job film.en: 5 of 7 cues name no speaker and get the job's voice. To keep the speaker before them, " +
      "set text: { stickySpeakers: true } (false hides this hint).\n"
  )
  expect((await runHere(["init", "--yes"], { cwd })).code).toBe(0)
  const manifest = readFileSync(join(cwd, "dubwright.yaml"), "utf8")
  expect(manifest).toContain(
    "    # 5 of 7 cues name no speaker and get the job's voice; to keep the previous speaker instead:\n" +
      "    # text: { stickySpeakers: true }\n"
  )
  for (const choice of ["true", "false"]) {
    writeFileSync(
      join(cwd, "dubwright.yaml"),
      manifest.replace("# text: { stickySpeakers: true }", `text: { stickySpeakers: ${choice} }`)
    )
    expect(await runHere(["plan", "dubwright.yaml"], { cwd })).toMatchObject({ code: 0, stderr: "" })
  }
}, 300_000)

const chinese = [
  "我们走吧",
  "你在哪里",
  "这是什么",
  "我不知道",
  "他来了",
  "再见",
  "是的",
  "不是",
  "好的",
  "谢谢你"
]
const english = ["Let us go", "Where are you", "What is it", "I do not know", "Here he comes"]
const bilingual = chinese.map((line, i) => `${line}\n${english[i % 5]}`)
const priced = ["--provider", "provider_expressive", "--voice", "aria"]

test("rejects a bilingual subtitle, with the price of each choice, until one is made", async () => {
  const cwd = emptyFolder()
  writeFileSync(join(cwd, "film.srt"), srt(bilingual))
  writeFileSync(
    join(cwd, "film.yaml"),
    "service: embedded\nproviders: { provider_expressive: { creditsPerCharacter: 10 } }\n" +
      "jobs: [{ input: film.srt, provider: provider_expressive, voice: aria }]\n"
  )
  const refusal =
    "dubwright: film.srt: job film: 10 of 10 cues are in two languages. Choose the one to speak with " +
    "text: { bilingual: … } in the manifest, or with --bilingual: first (Chinese: 300 credits), " +
    "second (English: 580 credits) or all (both: 1,560 credits)\n"
  const plan = await runHere(["plan", "film.yaml"], { cwd })
  expect([plan.code, plan.stderr]).toEqual([2, refusal])
  const refused = await runHere(["run", "film.yaml"], { cwd })
  expect(refused.code).toBe(2)
  expect(refused.stderr).toContain(refusal)
  expect(existsSync(join(cwd, "out/film"))).toBe(false)
  for (const choice of ["first", "second", "all"])
    expect(await runHere(["plan", "film.yaml", "--bilingual", choice], { cwd })).toMatchObject({
      code: 0,
      stderr: ""
    })
}, 300_000)

test("notes a subtitle that may be bilingual, and plans it", async () => {
  const cwd = emptyFolder()
  const others = Array.from({ length: 12 }, (_, i) => `${chinese[i % 10]}，${i}`)
  writeFileSync(join(cwd, "film.srt"), srt([...bilingual, ...others]))
  const plan = await runHere(["plan", "film.srt", "--embedded", ...priced], { cwd })
  expect(plan.code).toBe(0)
  expect(plan.stderr).toMatch(/^note: job film: 10 of 22 cues are in two languages\. Choose /u)
}, 300_000)

test("a voice without a provider gets the only one that has it; a finished batch sends no requests", async () => {
  const cwd = emptyFolder()
  writeFileSync(join(cwd, "film.srt"), srt(["Come in."]))
  const note = 'note: using provider_expressive, the only provider with a voice "aria"\n'
  const words = ["film.srt", "--voice", "aria"]
  expect(await runHere(["plan", ...words, "--embedded"], { cwd })).toMatchObject({ code: 0, stderr: note })
  const first = await runHere(["run", ...words, "--embedded"], { cwd })
  expect([first.code, first.stderr.startsWith(note)]).toEqual([0, true])
  const away = ["--base-url", "http://127.0.0.1:9"]
  const again = await runHere(["run", ...words, ...away], { cwd, env: { DUBWRIGHT_API_KEY: "none" } })
  expect(again.code).toBe(0)
  expect(again.stderr).not.toContain("note:")
  const elsewhere = await runHere(["plan", "film.srt", "--voice", "luna", ...away], {
    cwd,
    env: { DUBWRIGHT_API_KEY: "none" }
  })
  expect(elsewhere.code).toBe(3)
  const [waiting = "", ended = ""] = elsewhere.stderr.split("\n")
  expect(waiting).toMatch(
    /^note: http:\/\/127\.0\.0\.1:9\/?: connection refused .*; retrying for 8 seconds$/u
  )
  expect(ended).toContain('no provider is set for "luna", and the service\'s voices could not be read')
  const strange = await runHere(["run", "film.srt", "--embedded", "--voice", "ariaa"], { cwd })
  expect([strange.code, strange.stderr]).toEqual([
    2,
    'dubwright: film.srt: no provider of the service has a voice "ariaa"; did you mean "aria" of ' +
      "provider_expressive? (dubwright voices lists all)\n"
  ])
}, 300_000)
