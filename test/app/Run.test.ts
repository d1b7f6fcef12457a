import { spawnSync } from "node:child_process"
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync
} from "node:fs"
import { join, resolve } from "node:path"
import Sqlite from "better-sqlite3"
import { describe, expect, test } from "vitest"
import { runHere } from "./cli/inProcess.ts"
import { emptyFolder, run, start } from "./process.ts"

const cues = ["One two three.", "Four five six.", "Seven, eight, nine and ten."]
const srt = cues
  .map((text, at) => `${at + 1}\n00:00:0${at * 3 + 1},000 --> 00:00:0${at * 3 + 3},000\n${text}\n`)
  .join("\n")

/** A folder with a subtitle and a manifest of two jobs, both offline. */
const batch = (): string => {
  const folder = emptyFolder()
  writeFileSync(join(folder, "film.en.srt"), srt.replace("One", "{tone: calm} One"))
  writeFileSync(join(folder, "note.txt"), "A note. Two sentences, in all.\n")
  writeFileSync(
    join(folder, "batch.yaml"),
    [
      "name: Two for the night",
      "service: embedded",
      "defaults: { provider: provider_opensource, voice: os-slt, language: en }",
      "jobs:",
      "  - { id: film, input: film.en.srt }",
      "  - { id: note, input: note.txt, outputs: [flac, srt] }",
      ""
    ].join("\n")
  )
  return folder
}

/** Reads a result file without its times and durations. */
const timeless = (path: string): string =>
  readFileSync(path, "utf8")
    .replaceAll(/"(startedAt|datetime|seconds)"?[:=] ?"?[^",\n]+/gu, "")
    .replaceAll(/<time .*?<\/time>[^<]*/gu, "")

describe("run", () => {
  test("keeps files of outputs that are no longer requested, and says so once", async () => {
    const cwd = emptyFolder()
    const asking = (outputs: string, text: string) => {
      writeFileSync(join(cwd, "a.srt"), srt.replace(cues[0] ?? "", text))
      writeFileSync(
        join(cwd, "batch.yaml"),
        `service: embedded\njobs:\n  - { id: a, input: a.srt, provider: provider_opensource, voice: os-slt, outputs: [${outputs}] }\n`
      )
      return runHere(["run", "batch.yaml"], { cwd })
    }
    const there = (folder: string) => readdirSync(join(cwd, "out/a", folder)).sort()
    expect((await asking("vtt, stems, clips", "One two three.")).code).toBe(0)
    const clips = there("clips")
    writeFileSync(join(cwd, "out/a/clips/mine.wav"), "mine")
    const fewer = await asking("srt, clips", "One.")
    expect(fewer.stderr).toContain(
      "a: kept earlier files of outputs that are no longer requested: a.vtt, stems\n"
    )
    expect(there("")).toEqual([
      "a.srt",
      "a.vtt",
      "clips",
      "provenance.json",
      "report.html",
      "report.json",
      "stems"
    ])
    expect(there("clips")).toEqual([...clips, "mine.wav"])
    expect((await asking("srt, clips", "One two.")).stderr).not.toContain("no longer requested")
  })

  test("writes the requested outputs; a second run sends nothing and says so", async () => {
    const cwd = batch()
    const first = await run(["run", "batch.yaml", "--json", "--verbose"], { cwd })
    expect(first.code, first.stderr).toBe(0)
    expect(first.stderr, "more words, but a person's").not.toContain("level=")
    const report = JSON.parse(first.stdout)
    expect(report).toMatchObject({ name: "Two for the night", manifest: "batch.yaml" })
    expect(report.jobs).toEqual([
      { id: "film", status: "delivered" },
      { id: "note", status: "delivered" }
    ])
    expect(report.tasks).toMatchObject({ created: 5, reused: 0, failed: 0 })
    expect(JSON.parse(readFileSync(join(cwd, "out/run.json"), "utf8"))).toEqual(report)
    for (const name of [
      "film/film.wav",
      "film/film.srt",
      "film/report.json",
      "note/note.flac",
      "note/report.json"
    ]) {
      expect(statSync(join(cwd, "out", name)).size, name).toBeGreaterThan(100)
    }
    expect(readFileSync(join(cwd, "out/film/film.srt"), "utf8"), "captions have no directives").toMatch(
      /^1\n.*\nOne two three\.\n/u
    )
    const read = readFileSync(join(cwd, "out/note/note.srt"), "utf8")
    expect(
      read.split("\n").filter((row) => /[a-z]/u.test(row)),
      "one entry per sentence"
    ).toEqual(["A note.", "Two sentences, in all."])
    expect(existsSync(join(cwd, "out/note/note.wav")), "only the requested outputs").toBe(false)

    const again = await run(["run", "batch.yaml"], { cwd })
    expect(again.code).toBe(0)
    expect(again.stdout).toContain("Nothing was sent: every clip was cached.")
    expect(again.stdout).toContain("out/film/film.wav")
    // The second run used the records of the first one. A run that checks everything must print the same.
    const pages = () => ["run.json", "index.html"].map((name) => timeless(join(cwd, "out", name)))
    const remembered = pages()
    const state = new Sqlite(join(cwd, ".dubwright/state.sqlite"))
    // One record states that the batch is complete, another one how the sources were read.
    expect(state.prepare("DELETE FROM finished").run().changes).toBe(2)
    state.close()
    const looked = await run(["run", "batch.yaml"], { cwd })
    const clockless = (said: string) => said.replaceAll(/^\d\d:\d\d:\d\d/gmu, "")
    expect({ ...looked, stderr: clockless(looked.stderr) }).toEqual({
      ...again,
      stderr: clockless(again.stderr)
    })
    expect(pages()).toEqual(remembered)

    writeFileSync(join(cwd, "film.en.srt"), srt.replace("Four five six.", "Five six seven."))
    const planned = await run(["plan", "batch.yaml", "--json"], { cwd })
    const plan = JSON.parse(planned.stdout)
    expect(plan.total).toMatchObject({ utterances: 5, reused: 4, characters: 15 })
    expect(plan.name).toBe("Two for the night")
    expect(plan.jobs, "cues as in the report, where a narration's are its paragraphs").toMatchObject([
      { cues: 3, lines: 3 },
      { cues: 1, lines: 2 }
    ])
    const third = await run(["run", "batch.yaml", "--json"], { cwd })
    expect(JSON.parse(third.stdout).tasks).toMatchObject({ created: 1, reused: 4 })

    const status = await run(["status", "batch.yaml", "--json"], { cwd })
    expect(JSON.parse(status.stdout).jobs).toMatchObject([
      { id: "film", delivered: true, utterances: 3, done: 3, failed: 0, left: 0 },
      { id: "note", delivered: true, utterances: 2, done: 2, failed: 0, left: 0 }
    ])
    const young = await run(["clean", "batch.yaml", "--older-than", "1h", "--json"], { cwd })
    expect(JSON.parse(young.stdout)).toEqual({ utterances: 0, bytes: 0 })
    const cleaned = await run(["clean", "batch.yaml", "--json"], { cwd })
    expect(JSON.parse(cleaned.stdout)).toMatchObject({ utterances: 1 })
  })

  test("prints events as JSON lines on stderr; --quiet prints nothing if all is well", async () => {
    const cwd = batch()
    const told = await run(["run", "batch.yaml", "--events"], { cwd })
    expect(told.code).toBe(0)
    const events = told.stderr
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line))
    expect(events[0]).toMatchObject({ event: "Planned", jobs: 2, utterances: 5 })
    expect(events.filter(({ event }) => event === "Spoken")).toHaveLength(5)
    expect(
      events
        .filter(({ event }) => event === "Delivered")
        .map(({ job }) => job)
        .sort()
    ).toEqual(["film", "note"])
    const refused = await run(["run", "nowhere.yaml", "--events"], { cwd })
    expect(JSON.parse(refused.stderr), "other messages are events too").toMatchObject({
      event: "Said",
      message: "dubwright: nowhere.yaml: no such file; check the path"
    })
    const quiet = await run(["run", "batch.yaml", "--quiet"], { cwd })
    expect([quiet.code, quiet.stderr]).toEqual([0, ""])
  })

  test("one subtitle without a manifest", async () => {
    const cwd = batch()
    const { code, stderr } = await runHere(["run", "film.en.srt", "--embedded", "--out", "made"], { cwd })
    expect(code, stderr).toBe(0)
    expect(existsSync(join(cwd, "made/film.en/film.en.wav"))).toBe(true)
  })

  test("stops at the budget with code 4, and continues with a higher one", async () => {
    const cwd = batch()
    const limited = ["run", "batch.yaml", "--json", "--max-credits", "5"]
    const stopped = await runHere(limited, { cwd })
    expect(stopped.code, stopped.stderr).toBe(4)
    const report = JSON.parse(stopped.stdout)
    expect(report.jobs.some(({ status }: { status: string }) => status === "unfinished")).toBe(true)
    expect(report.tasks.created).toBe(1)
    // The limit applies to the batch: a resumed run does not start from 0 again.
    const still = await runHere(limited, { cwd })
    expect([still.code, JSON.parse(still.stdout).tasks.created]).toEqual([4, 0])
    expect(still.stderr).toContain("spent by earlier runs that did not finish")
    const mended = await runHere(["run", "batch.yaml"], { cwd })
    expect(mended.code).toBe(0)
  })

  test("makes a faster retake of a line that does not fit, and keeps the shorter take", async () => {
    const cwd = emptyFolder()
    const long = "The ferry has left the harbour long ago, and nobody on the quay has seen where it went."
    writeFileSync(
      join(cwd, "film.srt"),
      `1\n00:00:01,000 --> 00:00:03,000\n${long}\n\n2\n00:00:09,000 --> 00:00:12,000\nWait.\n\n3\n00:00:21,000 --> 00:00:23,000\n${long}\n`
    )
    const manifest = (retake: boolean) =>
      [
        "service: embedded",
        "defaults: { provider: provider_native, voice: en-anna, language: en }",
        "jobs:",
        `  - { id: film, input: film.srt, outputs: [srt], fit: { retake: ${retake} } }`,
        ""
      ].join("\n")
    const runWith = async (retake: boolean) => {
      writeFileSync(join(cwd, "batch.yaml"), manifest(retake))
      const { code, stdout, stderr } = await runHere(["run", "batch.yaml", "--json"], { cwd })
      expect(code, stderr).toBe(0)
      const { cues } = JSON.parse(readFileSync(join(cwd, "out/film/report.json"), "utf8"))
      return { created: JSON.parse(stdout).tasks.created, line: cues[0], other: cues[1] }
    }
    const once = await runWith(false)
    const twice = await runWith(true)
    const again = await runWith(true)
    expect(once.line).toMatchObject({ flags: ["overrun"], placed: { start: 1 } })
    expect(twice.line.flags).toContain("repeated-take")
    expect(twice.line.placed.start).toBe(1)
    expect(twice.line.placed.end).toBeLessThan(once.line.placed.end)
    expect(twice.other.placed.start, "a line that fits keeps its take").toBe(9)
    expect([once.created, twice.created, again.created], "one take for both lines").toEqual([1, 1, 0])
    expect(again.line).toEqual(twice.line)
  })

  test("a second run on the same state folder exits with code 75", async () => {
    const cwd = batch()
    const long = Array.from({ length: 400 }, (_, at) => `This is sentence number ${at} of a long text.`).join(
      "\n\n"
    )
    writeFileSync(join(cwd, "long.txt"), long)
    const words = ["--embedded", "--provider", "provider_opensource", "--voice", "os-slt", "--state", "state"]
    const first = start(["run", "long.txt", ...words, "--events"], { cwd })
    await first.firstWord
    const second = await run(["run", "note.txt", ...words], { cwd })
    expect([second.code, second.stdout]).toEqual([75, ""])
    expect(second.stderr).toMatch(/^dubwright: [^\n]*in use by process \d+[^\n]*\n$/u)

    first.child.kill("SIGINT")
    expect((await first.ended).code).toBe(130)
    const after = await run(["status", "long.txt", "--state", "state", "--embedded", "--json"], { cwd })
    expect(after.code).toBe(0)
  })

  test("prints the summary even if run.json cannot be written", async () => {
    const cwd = batch()
    mkdirSync(join(cwd, "out/run.json"), { recursive: true })
    const { code, stdout, stderr } = await run(["run", "batch.yaml", "--quiet"], { cwd })
    expect([code, stderr]).toEqual([
      3,
      expect.stringMatching(/^dubwright: [^\n]*run\.json: cannot be written: [^\n]*\n$/u)
    ])
    expect(stdout).toMatch(/^film +delivered/mu)
    expect(stdout).toContain("5 tasks created")
  })

  test("fails only the cue that the service skipped; other cues of its task play at their times", async () => {
    const folder = emptyFolder()
    const lines = [
      ["01,000 --> 00:00:03,000", "Good evening to you, my friend."],
      ["03,500 --> 00:00:05,500", "今天晚上没有船了。"],
      ["09,000 --> 00:00:11,000", "Nobody had told the captain."]
    ]
    writeFileSync(
      join(folder, "a.srt"),
      lines.map(([times, words], at) => `${at + 1}\n00:00:${times}\n${words}\n`).join("\n")
    )
    const words = ["run", "a.srt", "--embedded", "--provider", "provider_native", "--voice", "en-bo"]
    const { code, stderr } = await runHere(words, { cwd: folder })
    expect([code, stderr]).toEqual([
      3,
      expect.stringContaining("cue 2 could not be spoken: the service returned no speech for it")
    ])
    const { cues }: { cues: ReadonlyArray<{ status: string; placed?: { start: number } }> } = JSON.parse(
      readFileSync(join(folder, "out/a/report.json"), "utf8")
    )
    expect(cues.map(({ status, placed }) => [status, placed?.start])).toEqual([
      ["spoken", 1],
      ["failed", undefined],
      ["spoken", 9]
    ])
  })
})

describe("plan", () => {
  test("plan shows what will not fit as a table, JSON and a page, and --fail-on fails on it", async () => {
    const cwd = batch()
    writeFileSync(join(cwd, "film.en.srt"), srt.replace("Four five six.", "Four five six. ".repeat(8)))
    const table = await runHere(["plan", "batch.yaml", "--fail-on", "overrun,new,price"], { cwd })
    expect(table.code).toBe(3)
    expect(table.stdout).toMatch(/^film 2 +6 .* Four five six\..* 63$/mu)
    expect(table.stderr.split("\n").slice(0, 2)).toEqual([
      "dubwright: --fail-on overrun: 2 lines would not fit",
      "dubwright: --fail-on new: 5 utterances are not cached"
    ])
    const json = await runHere(
      ["plan", "batch.yaml", "--json", "--html", "plan.html", "--fail-on", "price"],
      {
        cwd
      }
    )
    expect([json.code, json.stderr]).toEqual([0, "wrote plan.html\n"])
    const { jobs, total } = JSON.parse(json.stdout)
    expect(jobs[0].tight).toMatchObject([
      { cue: 2, line: 6, lengthFrom: "estimated", flags: ["early", "fast", "overrun"], shortenBy: 63 },
      { cue: 3 }
    ])
    expect(jobs[0].speakers).toEqual([{ cues: 3, voices: ["provider_opensource/os-slt"] }])
    expect(total).toMatchObject({ tightLines: 2, credits: 47.25 })
    expect(readFileSync(join(cwd, "plan.html"), "utf8")).toContain("2 lines will not fit")
    expect((await runHere(["plan", "batch.yaml", "--max-credits", "40"], { cwd })).code).toBe(4)
    const stranger = await runHere(
      ["plan", "film.en.srt", "--provider", "provider_native", "--voice", "en-anne"],
      { cwd }
    )
    expect([stranger.code, stranger.stderr]).toEqual([
      2,
      expect.stringMatching(/did you mean en-anna\?.*; job film\.en first uses it in cue 1\n/u)
    ])
  })

  test("plan does not count permanently failed utterances, which only retry sends again", async () => {
    const cwd = emptyFolder()
    writeFileSync(
      join(cwd, "a.srt"),
      "1\n00:00:01,000 --> 00:00:03,000\nGood evening.\n\n2\n00:00:04,000 --> 00:00:06,000\n今天晚上没有船了。\n"
    )
    const words = ["a.srt", "--embedded", "--provider", "provider_fast", "--voice", "fast-en-us"]
    const failed = await runHere(["run", ...words], { cwd })
    expect(failed.code).toBe(3)
    // 13 characters at half a credit; the bundled service does not charge failed tasks.
    expect(failed.stdout).toMatch(/^7 credits spent$/mu)
    const plan = await runHere(["plan", ...words, "--json"], { cwd })
    expect(JSON.parse(plan.stdout).total).toMatchObject({
      utterances: 2,
      reused: 1,
      refused: 1,
      characters: 0,
      credits: 0
    })
    const table = await runHere(["plan", ...words], { cwd })
    expect(table.stdout).toMatch(
      /\nNothing would be sent\.\n1 utterance failed permanently and would not be retried; .*dubwright retry\.\nSpeech leaves about 1 s of the cues empty; it fills 1 cue to less than 60 %\.\n$/u
    )
    const again = await runHere(["run", ...words], { cwd })
    expect(again.stderr).toContain("0 utterances, 0 characters to speak; 1 cached")
  })

  test("plans the jobs it can beside those it cannot, and prints a voice map for a manifest", async () => {
    const cwd = batch()
    writeFileSync(
      join(cwd, "two.srt"),
      "1\n00:00:01,000 --> 00:00:03,000\nANNA: Hello.\n\n2\n00:00:04,000 --> 00:00:06,000\nBO: Hello.\n"
    )
    const jobs = "  - { id: film, input: film.en.srt, voice: os-slt }\n  - id: two\n    input: two.srt\n"
    const manifest = `service: { baseUrl: "http://127.0.0.1:9" }\nnotify: { webhook: $NIGHT_HOOK }\ndefaults: { provider: provider_opensource }\njobs:\n${jobs}`
    writeFileSync(join(cwd, "cast.yaml"), manifest)
    const partly = await runHere(["plan", "cast.yaml", "--json"], { cwd })
    expect([partly.code, partly.stderr]).toEqual([
      2,
      "warning: notify.webhook: $NIGHT_HOOK is not set; no notification would be sent at the end of a run\n" +
        'dubwright: two.srt: job two: no voice for ANNA (1 cue), BO (1 cue); give each a voice under "speakers", or set "voice" as the default\n'
    ])
    expect(JSON.parse(partly.stdout)).toMatchObject({
      jobs: [{ id: "film", lines: 3 }],
      faults: [{ file: "two.srt" }]
    })
    const { stdout } = await runHere(["plan", "cast.yaml", "--speakers", "--only", "two"], { cwd })
    expect(stdout).toBe(
      "# job two, two.srt\nspeakers:\n  ANNA: { voice: }  # 1 cue\n  BO: { voice: }    # 1 cue\n"
    )
    const filled = stdout.replaceAll("voice:", "voice: os-slt").replaceAll(/^/gmu, "    ")
    writeFileSync(join(cwd, "cast.yaml"), `${manifest}${filled}`)
    expect((await runHere(["plan", "cast.yaml"], { cwd })).code).toBe(0)
  })
})

test.skipIf(!existsSync("/dev/full"))("reports a full disk behind stdout", () => {
  const endedOn = (words: ReadonlyArray<string>) => {
    const full = openSync("/dev/full", "w")
    const ended = spawnSync(process.execPath, [resolve("dist/dubwright.mjs"), ...words], {
      stdio: ["ignore", full, "pipe"],
      encoding: "utf8",
      cwd: emptyFolder()
    })
    closeSync(full)
    return ended
  }
  const ended = endedOn(["schema"])
  expect([ended.status, ended.stderr]).toEqual([
    1,
    expect.stringMatching(/^dubwright: cannot write results to standard output: ENOSPC.*\n$/u)
  ])
  expect(
    JSON.parse(
      endedOn(["run", join(batch(), "note.txt"), "--embedded", "--events"])
        .stderr.trimEnd()
        .split("\n")
        .at(-1) ?? ""
    )
  ).toEqual({
    at: expect.any(String),
    event: "Said",
    message: expect.stringMatching(/^dubwright: cannot write results/u)
  })
})

test("the manifests in pipelines/ can be planned as they are", async () => {
  for (const name of ["demo", "nightly", "editing"]) {
    const folder = emptyFolder()
    mkdirSync(join(folder, "state"))
    const words = [resolve("pipelines", `${name}.yaml`), "--state", join(folder, "state")]
    const { code, stderr } = await runHere(["plan", ...words], { cwd: folder })
    const notes =
      name === "editing"
        ? "note: job edit-last-ferry-en: the film's AAC sound becomes FLAC in edit-last-ferry-en.mkv\n"
        : ""
    expect([code, stderr], name).toEqual([0, notes])
  }
})
