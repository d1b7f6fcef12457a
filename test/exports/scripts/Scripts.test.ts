/** TTML subtitles, read back by the parser of scripts, and the ADR cue sheet. */
import { expect, it } from "@effect/vitest"
import { Either, FastCheck as fc } from "effect"
import { frameRateNamed } from "../../../src/domain/time/FrameRate.ts"
import { millis } from "../../../src/domain/time/Units.ts"
import { SubtitleEntry } from "../../../src/domain/speech/SubtitleEntry.ts"
import { SpeakerName } from "../../../src/domain/values/Ids.ts"
import { cueSheetPage, cueSheetRows } from "../../../src/exports/scripts/AdrSheet.ts"
import { imscText } from "../../../src/exports/scripts/ImscText.ts"
import { readScript } from "../../../src/script/ScriptFile.ts"
import { scene } from "../timelines/timelines.ts"

const entries = fc
  .array(fc.tuple(fc.integer({ min: 1, max: 900 }), fc.integer({ min: 400, max: 5_000 }), fc.boolean()), {
    minLength: 1,
    maxLength: 12
  })
  .map((all) => {
    let at = 0
    return all.map(([gap, length, isAnna], place) => {
      const start = at + gap + 400
      at = start + length
      return SubtitleEntry.make({
        index: place + 1,
        start: millis(start),
        end: millis(at),
        text: `Line ${place} & "so"\non`,
        speaker: SpeakerName.make(isAnna ? "ANNA" : "Bà & Hai")
      })
    })
  })

it.prop("TTML keeps times, text, lines and speakers", [entries], ([all]) => {
  const text = imscText(all, { title: "film & more", language: "vi" })
  const script = Either.getOrThrow(readScript(new TextEncoder().encode(text), "film.ttml"))
  if (script._tag !== "Subtitle") throw new Error("not read as a subtitle")
  expect(script.cues.map(({ start, end, text: words, speaker }) => [start, end, words, speaker])).toEqual(
    all.map(({ start, end, text: words, speaker }) => [start, end, words, speaker])
  )
})

it("a cue sheet has a row per line in order of time, with timecodes of the frames that hold it", () => {
  const rows = cueSheetRows(scene(frameRateNamed("25"), 90_000))
  expect(rows.map(({ cue }) => cue)).toEqual(["1", "2", "3", "4", "7", "8", "9"])
  expect(rows[3]).toEqual({
    cue: "4",
    in: "01:00:03:00",
    out: "01:00:05:01",
    seconds: "2.00",
    character: "ANNA",
    line: 'She talks over herself; "really", she does',
    notes: "speed 1.25, overrun, fast",
    takes: "",
    done: ""
  })
})

it("a cue sheet's page escapes text and repeats its head on each printed page", () => {
  const page = cueSheetPage(scene(frameRateNamed("25"), 0))
  expect(page).toContain("]]&gt; &amp; &lt;/note&gt;")
  expect(page).toContain("thead { display: table-header-group }")
  expect(page.match(/<tr>/gu)).toHaveLength(2 + 2 + 7)
})
