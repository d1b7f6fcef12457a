/** What a subtitle leaves open: the real command proposes, warns or refuses before anything is sent. */
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { emptyFolder, run } from "./process.ts"

/** An SRT of these texts, two seconds each. */
const srt = (texts: ReadonlyArray<string>): string =>
  texts
    .map((text, i) => {
      const time = (seconds: number) =>
        `00:${`${Math.floor(seconds / 60)}`.padStart(2, "0")}:${`${seconds % 60}`.padStart(2, "0")},000`
      return `${i + 1}\n${time(i * 2)} --> ${time(i * 2 + 2)}\n${text}\n`
    })
    .join("\n")

test("stickySpeakers is proposed where named speakers have many unnamed cues, by plan and by init", async () => {
  const cwd = emptyFolder()
  const dialogue = ["ANNA: Come in.", "It is cold.", "Sit down.", "BO: Thanks.", "I will.", "It is.", "Well."]
  writeFileSync(join(cwd, "film.en.srt"), srt(dialogue))
  const plan = await run(["plan", "film.en.srt", "--embedded"], { cwd })
  expect(plan.stderr).toBe(
    "hint: job film.en: 5 of 7 cues name no speaker and get the job's voice. To keep the speaker before them, " +
      "set text: { stickySpeakers: true } (false hides this hint).\n"
  )
  expect((await run(["init", "--yes"], { cwd })).code).toBe(0)
  const manifest = readFileSync(join(cwd, "dubwright.yaml"), "utf8")
  expect(manifest).toContain(
    "    # 5 of 7 cues name no speaker and get the job's voice; this keeps the speaker before them:\n" +
      "    # text: { stickySpeakers: true }\n"
  )
  for (const choice of ["true", "false"]) {
    writeFileSync(
      join(cwd, "dubwright.yaml"),
      manifest.replace("# text: { stickySpeakers: true }", `text: { stickySpeakers: ${choice} }`)
    )
    expect(await run(["plan", "dubwright.yaml"], { cwd })).toMatchObject({ code: 0, stderr: "" })
  }
}, 60_000)
