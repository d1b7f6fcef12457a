/** The commands below `voices` as a user runs them, and the voices of jobs that name none. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { writePiperVoice, writeSpellingVoice } from "../../engines/neural/tinyVoice.ts"
import { emptyFolder, start } from "../process.ts"

test("adds, lists and removes a voice; two at once do not mix", async () => {
  const home = emptyFolder()
  const env = { DUBWRIGHT_VOICES: join(home, "voices"), XDG_CACHE_HOME: join(home, "cache") }
  const run = (...words: ReadonlyArray<string>) => start(["voices", ...words], { env }).ended
  const voices = ["one", "two"].map((name) => writeSpellingVoice(join(home, name)))
  const both = await Promise.all(voices.map((voice) => run("add", voice)))
  for (const { code, stderr } of both)
    if (code !== 0)
      expect([code, stderr]).toEqual([
        75,
        expect.stringMatching(/^dubwright: another dubwright .*is changing the voices in /u)
      ])
  // As after a power cut in the middle of another installation.
  mkdirSync(join(env.DUBWRIGHT_VOICES, ".staging-1", "docs"), { recursive: true })
  mkdirSync(join(env.DUBWRIGHT_VOICES, ".removed-2"))
  expect((await run("add", ...voices)).stderr).toBe("installed one\ninstalled two\n")
  expect(readdirSync(env.DUBWRIGHT_VOICES).filter((name) => /^\.(?:staging|removed)/u.test(name))).toEqual([])
  const listed = JSON.parse((await run("list", "--json")).stdout)
  expect(listed.voices.slice(0, 2)).toMatchObject([
    { id: "one", installed: true, speakers: 1, licence: { name: "unknown" } },
    { id: "two", installed: true }
  ])
  expect((await run("remove", "one")).stderr).toBe("removed one\n")
  expect(await run("remove", "../two")).toEqual({
    code: 2,
    stdout: "",
    stderr:
      "dubwright: voice ../two: no such voice is installed; dubwright voices list shows the installed ones\n"
  })
  const { stdout } = await run("--embedded", "--search", "fast-vi")
  expect(stdout).toMatch(/^fast-vi {2,}provider_fast/mu)
})

/** A folder with a Vietnamese subtitle and an installed Vietnamese voice. */
const withVoice = async () => {
  const cwd = emptyFolder()
  const env = { DUBWRIGHT_VOICES: join(cwd, "voices"), XDG_CACHE_HOME: join(cwd, "cache") }
  writeFileSync(join(cwd, "phim.vi.srt"), "1\n00:00:01,000 --> 00:00:03,000\nXin chào bạn.\n")
  const run = (...words: ReadonlyArray<string>) => start(words, { cwd, env }).ended
  expect((await run("voices", "add", writePiperVoice(join(cwd, "model"), "vi_VN-lan-low"))).code).toBe(0)
  return { cwd, run }
}

test("a job that names no voice gets the installed neural voice of its language", async () => {
  const { cwd, run } = await withVoice()
  const dubbed = await run("phim.vi.srt")
  expect(dubbed.code).toBe(0)
  expect(dubbed.stderr).toContain("note: neural-vi_VN-lan-low, a neural voice on this machine, speaks vi\n")
  expect((await run("voices", "--embedded", "--provider", "provider_neural")).stdout).toMatch(
    /^neural-vi_VN-lan-low +provider_neural +vi_VN-lan-low +vi-VN$/mu
  )
  expect((await run("init", "--yes", ".")).code).toBe(0)
  expect((await run("run", "dubwright.yaml")).stderr).toContain("0 characters to speak; 1 cached")
  const settings = join(cwd, "voices/vi_VN-lan-low/vi_VN-lan-low.onnx.json")
  writeFileSync(settings, readFileSync(settings, "utf8").replace('"voice":"vi"', '"voice":""'))
  writeFileSync(join(cwd, "phim.vi.srt"), "1\n00:00:01,000 --> 00:00:03,000\nTạm biệt.\n")
  for (const command of ["plan", "run"])
    expect(await run(command, "dubwright.yaml")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(
        `neural-vi_VN-lan-low cannot speak: ${settings}: invalid settings; expected those of a Piper voice; mend its files, or run dubwright voices remove vi_VN-lan-low\n`
      )
    })
  expect((await run("voices", "try", "neural-vi_VN-lan-low")).stderr).toContain(
    "dubwright: neural-vi_VN-lan-low cannot speak: "
  )
  await run("voices", "remove", "vi_VN-lan-low")
  expect(await run("run", "dubwright.yaml")).toMatchObject({
    code: 2,
    stderr:
      "dubwright: dubwright.yaml: job phim.vi: provider_neural has no voices on this machine; install one (dubwright voices list) and sherpa-onnx (dubwright help neural)\n"
  })
  const plain = await run("plan", "--embedded", "phim.vi.srt")
  expect(plain.stderr).toContain(
    "note: vi-anna, a simple synthetic voice, speaks vi; for a neural voice, run dubwright voices add vi_VN-vais1000-medium (67 MB)\n"
  )
})

test("try speaks a sentence in several voices, and writes a page with players", async () => {
  const { cwd, run } = await withVoice()
  const tried = await run("voices", "try", "vi-anna", "neural-vi_VN-lan-low", "--out", "heard")
  expect(tried).toEqual({ code: 0, stdout: `${join(cwd, "heard/index.html")}\n`, stderr: "" })
  expect(readdirSync(join(cwd, "heard")).sort()).toEqual([
    "index.html",
    "neural-vi_VN-lan-low.wav",
    "vi-anna.wav"
  ])
  const page = readFileSync(join(cwd, "heard/index.html"), "utf8")
  expect([...page.matchAll(/<audio[^>]*src="([^"]*)"/gu)].map(([, file]) => file)).toEqual([
    "vi-anna.wav",
    "neural-vi_VN-lan-low.wav"
  ])
  expect(await run("voices", "try", "vi-ana")).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('no voice "vi-ana"; did you mean vi-anna?')
  })
  expect(await run("voices", "try", "--base-url", "http://127.0.0.1:9")).toMatchObject({
    code: 2,
    stderr:
      "dubwright: name the voices to try, because each sample costs credits; dubwright voices lists them\n"
  })
})
