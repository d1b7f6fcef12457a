import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { runHere } from "../cli/inProcess.ts"
import { emptyFolder } from "../process.ts"

const srt = [
  "ANNA: The tide turns at nine this evening, and nobody told the ferry about it.",
  "Fine.",
  "@home we never hear how the long grey boats come in at night any more."
]
  .map((text, at) => `${at + 1}\n00:00:0${at * 3 + 1},000 --> 00:00:0${at * 3 + 2},000\n${text}\n`)
  .join("\n")

const folder = (): string => {
  const cwd = emptyFolder()
  writeFileSync(join(cwd, "film.srt"), srt)
  writeFileSync(
    join(cwd, "batch.yaml"),
    [
      "service: embedded",
      "defaults: { provider: provider_opensource, voice: os-slt, language: en }",
      "jobs:",
      '  - { id: "007", input: film.srt }',
      ""
    ].join("\n")
  )
  return cwd
}

/** The list with a change to its records; the first record is the header. */
const edited = (cwd: string, edit: (records: ReadonlyArray<string>) => ReadonlyArray<string>): void => {
  const file = join(cwd, "lines.csv")
  writeFileSync(file, edit(readFileSync(file, "utf8").split("\r\n")).join("\r\n"))
}

describe("export-lines and import-lines", () => {
  test("a translator's texts come back as overrides, and are spoken", async () => {
    const cwd = folder()
    expect(await runHere(["run", "batch.yaml", "--quiet"], { cwd })).toMatchObject({ code: 0 })
    const list = await runHere(["export-lines", "batch.yaml"], { cwd })
    expect(list).toMatchObject({ code: 0, stdout: "lines.csv: 2 lines do not fit\n" })
    const written = readFileSync(join(cwd, "lines.csv"), "utf8")
    expect(written.split("\r\n")).toHaveLength(4)
    expect(written).toContain(",Fine.,'@home we never hear")
    expect(written).toContain("out/007/report.html#cue-3")
    expect((await runHere(["export-lines", "batch.yaml"], { cwd })).stderr).toBe(
      "dubwright: lines.csv: exists, and may hold a translator's work; name another file, or delete it\n"
    )
    expect(readFileSync(join(cwd, "lines.csv"), "utf8")).toBe(written)

    // A spreadsheet has taken the job's id for a number.
    edited(cwd, ([header = "", first = "", third = ""]) => [
      header,
      first.replace("007", "7").replace(',"",', ",").replace(",,,Fine.,", ",Tide's at nine.,,Fine.,"),
      third
    ])
    const back = await runHere(["import-lines", "batch.yaml"], { cwd })
    expect(back).toMatchObject({
      code: 0,
      stdout: "lines.csv: 1 new text saved; the next run speaks it\n"
    })
    const overrides = readFileSync(join(cwd, "batch.yaml.overrides.yaml"), "utf8")
    expect(overrides).toContain("say: Tide's at nine.")
    expect(overrides).toContain('was: "ANNA: The tide turns')
    expect((await runHere(["import-lines", "batch.yaml"], { cwd })).stdout).toBe(
      "lines.csv: no new text to save\n"
    )

    expect(await runHere(["run", "batch.yaml", "--quiet"], { cwd })).toMatchObject({ code: 0 })
    const report = JSON.parse(readFileSync(join(cwd, "out/007/report.json"), "utf8"))
    expect(report.cues[0]).toMatchObject({ said: "Tide's at nine.", flags: [] })
    const rest = await runHere(["export-lines", "batch.yaml", "--to", "rest.xlsx"], { cwd })
    expect(rest.stdout).toBe("rest.xlsx: 1 line does not fit\n")
    expect((await runHere(["import-lines", "batch.yaml", "--from", "rest.xlsx"], { cwd })).stdout).toBe(
      "rest.xlsx: no new text to save\n"
    )
  })

  test("rejects a list with faults as a whole, with the row of each", async () => {
    const cwd = folder()
    await runHere(["export-lines", "batch.yaml"], { cwd })
    const text = "Fine."
    const rows = [
      "job,cue,part,source,text,new text",
      `other,2,1,${text},${text},Good.`,
      `007,9,1,${text},${text},Good.`,
      `007,2,2,${text},${text},Good.`,
      `007,2,1,Bad.,${text},Good.`,
      `007,2,1,${text},Bad.,Good.`,
      `007,2,1,${text},${text},...`,
      `007,2,1,${text},${text},Good.`,
      `007,2,1,${text},${text},Well.`
    ]
    const sources = readFileSync(join(cwd, "lines.csv"), "utf8").split("\r\n")
    expect(sources).toHaveLength(4)
    writeFileSync(
      join(cwd, "lines.csv"),
      [
        ...rows,
        `007,3,1,"'${srt.split("\n").at(-2)}","'${srt.split("\n").at(-2)}",${"long ".repeat(20)}`
      ].join("\n")
    )
    const back = await runHere(["import-lines", "batch.yaml"], { cwd })
    expect(back.code).toBe(2)
    expect(back.stderr.replace(/\d+ too many; at most \d+/u, "N too many; at most N").split("\n")).toEqual([
      'dubwright: lines.csv:2: there is no job "other" in this manifest; import the list with the manifest that export-lines used',
      'dubwright: lines.csv:3: job 007 speaks no line 1 in cue "9"; export the list again',
      'dubwright: lines.csv:4: job 007 speaks no line 2 in cue "2"; export the list again',
      "dubwright: lines.csv:5: cue 2: its text in the subtitle has changed since the list was written; export the list again",
      "dubwright: lines.csv:6: cue 2: its spoken words have changed since the list was written; export the list again",
      'dubwright: lines.csv:7: cue 2: the new text "..." has no letters or digits to speak',
      "dubwright: lines.csv:9: cue 2 of job 007 has a new text in row 8 too; keep one of the two",
      "dubwright: lines.csv:10: cue 3: the new text has 99 characters, N too many; at most N fit (--long accepts it)",
      ""
    ])
    expect(existsSync(join(cwd, "batch.yaml.overrides.yaml")), "nothing is saved").toBe(false)
  })

  test("exports nothing if every line fits", async () => {
    const cwd = folder()
    writeFileSync(join(cwd, "film.srt"), "1\n00:00:01,000 --> 00:00:09,000\nFine.\n")
    expect((await runHere(["export-lines", "batch.yaml"], { cwd })).stdout).toBe(
      "every line fits: nothing to export\n"
    )
    expect(existsSync(join(cwd, "lines.csv"))).toBe(false)
    expect((await runHere(["export-lines", "batch.yaml", "--to", "lines.txt"], { cwd })).stderr).toBe(
      'dubwright: --to: expected a file that ends in .csv or .xlsx, found "lines.txt"\n'
    )
    expect((await runHere(["import-lines", "film.srt"], { cwd })).stderr).toContain("expected a manifest")
  })
})
