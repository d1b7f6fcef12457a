/** `voices add`, `list` and `remove`, as a user runs them; and `voices` itself, which lists the service's voices. */
import { join } from "node:path"
import { expect, test } from "vitest"
import { writeSpellingVoice } from "../../engines/neural/tinyVoice.ts"
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
  expect((await run("add", ...voices)).stderr).toBe("installed one\ninstalled two\n")
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
