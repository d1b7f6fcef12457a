/** Where a preview of a line sounds like the job's page: not where the page plays a ducked film, too. */
import { expect, it } from "vitest"
import { playsMix } from "../../../src/pipeline/review/TakePreview.ts"

it("is just the mix, unless the page plays a video with the film's sound under the voice", () => {
  const answers = (["keep", "drop", "duck"] as const).map((original) =>
    ([["wav", "mp4"], ["mp4"], ["webm", "srt"], ["srt"]] as const).map((outputs) =>
      playsMix({ outputs, original })
    )
  )
  expect(answers).toEqual([
    [true, true, true, false],
    [true, true, true, false],
    [true, false, false, false]
  ])
})
