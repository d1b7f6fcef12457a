import { describe, expect, it } from "@effect/vitest"
import { Either } from "effect"
import { millis } from "../../../src/domain/time/Units.ts"
import { cutAtFilmEnd } from "../../../src/script/spoken/FilmEnd.ts"
import { readScript } from "../../../src/script/ScriptFile.ts"
import { spokenWords } from "../../../src/script/spoken/SpokenWords.ts"

const time = (seconds: number) => new Date(seconds * 1000).toISOString().slice(11, 23).replace(".", ",")
const srt = (cues: ReadonlyArray<readonly [start: number, text: string]>) =>
  cues.map(([start, text], at) => `${at + 1}\n${time(start)} --> ${time(start + 2)}\n${text}\n`).join("\n")

/** Applies the end of a 60 s film, with lines that may start 300 ms early, to a subtitle. */
const filmed = (cues: ReadonlyArray<readonly [start: number, text: string]>) => {
  const script = Either.getOrThrow(readScript(new TextEncoder().encode(srt(cues)), "a.srt"))
  const words = spokenWords(script, {}, [])
  return cutAtFilmEnd(script, words, {
    name: "a.mp4",
    length: millis(60_000),
    early: millis(300),
    silently: false
  }).pipe(
    Either.map(({ words: { cues }, notice }) => ({
      cues: cues.map((cue) => ("skipped" in cue ? cue.skipped : cue.parts[0].said)),
      notice
    }))
  )
}

describe("a film that ends before its subtitle", () => {
  it("drops the cues that could only start after its end, and reports how many", () => {
    expect(
      filmed([
        [1, "One."],
        [58, "[rain]"],
        [59, "Two."],
        [60.2, "Three, which may begin early."],
        [60.3, "Four."],
        [61, "[thunder]"],
        [3_725.04, "Five."]
      ])
    ).toEqual(
      Either.right({
        cues: [
          "One.",
          "sound-effect",
          "Two.",
          "Three, which may begin early.",
          "behind-film",
          "sound-effect",
          "behind-film"
        ],
        notice:
          "a.mp4 lasts 0:01:00.0, the subtitle 1:02:07.0: 2 of 5 cues, from cue 5 (0:01:00.3) on, start after the end of the film and are not spoken; the job fails unless a cue sheet excludes them or onFailure is silence"
      })
    )
  })

  it("does not change a subtitle that ends with it", () => {
    expect(
      filmed([
        [1, "One."],
        [59.9, "Two."],
        [70, "[music]"]
      ])
    ).toEqual(Either.right({ cues: ["One.", "Two.", "sound-effect"], notice: undefined }))
  })

  it("fails if no cue starts within it, as with a subtitle whose times begin at one hour", () => {
    expect(
      filmed([
        [3_600.5, "One."],
        [3_603, "Two."]
      ])
    ).toEqual(
      Either.left(
        "a.mp4 lasts 0:01:00.0, the subtitle 1:00:05.0: all cues with words start after the end of the film, the first is cue 1 (1:00:00.5); set start if the file's times begin at another hour"
      )
    )
  })
})
