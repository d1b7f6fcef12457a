/** The line that a terminal shows while subtitles are read and films are compared with them. */
import { Effect } from "effect"
import { expect, test } from "vitest"
import { tellReading } from "../../../src/app/batch/BatchInput.ts"
import { makeScreen, Screen } from "../../../src/app/terminal/Screen.ts"

type FilesRead = Parameters<typeof tellReading>[0]["jobs"]

const jobs: FilesRead = [1, 2].flatMap((episode) =>
  (["vi", "fr"] as const).map((language) => ({
    input: `/E${episode}.${language}.srt`,
    video: { path: `/E${episode}.mkv`, name: `E${episode}.mkv` },
    sync: "check" as const
  }))
)

/** What a terminal shows, or a file to which stderr goes. */
const shown = (
  isTTY: boolean,
  options: { readonly quiet: boolean; readonly json?: boolean },
  all: FilesRead = jobs
) => {
  const written: Array<string> = []
  const stream = {
    isTTY,
    write: (text: string, done: () => void) => {
      written.push(text)
      done()
    }
  }
  const screen = makeScreen(stream, stream, { NO_COLOR: "1" })
  return Effect.runPromise(
    tellReading({ jobs: all }, options).pipe(
      Effect.provideService(Screen, screen),
      Effect.map(() => written.join(""))
    )
  )
}

test("a terminal shows at once what is read and listened to; files, --json and --quiet do not", async () => {
  expect(await shown(true, { quiet: false })).toBe("reading 4 subtitles, listening to 2 films\n")
  const [first] = jobs
  const unwatched = first === undefined ? [] : [{ input: first.input }]
  expect(await shown(true, { quiet: false }, unwatched)).toBe("reading 1 subtitle\n")
  expect(await shown(true, { quiet: true })).toBe("")
  expect(await shown(true, { quiet: false, json: true })).toBe("")
  expect(await shown(false, { quiet: false })).toBe("")
})
