import { expect, test } from "vitest"
import { Clip, Segment } from "../../../src/domain/speech/Clip.ts"
import { Cue, Subtitle } from "../../../src/domain/speech/Cue.ts"
import { Casting } from "../../../src/domain/speech/Casting.ts"
import { Line, Slot } from "../../../src/domain/speech/Line.ts"
import { ClipPart, Placement } from "../../../src/domain/speech/Placement.ts"
import { LineRef, makeUtterance, UtteranceUse } from "../../../src/domain/speech/Utterance.ts"
import { frames, Lufs, millis, SampleRate } from "../../../src/domain/time/Units.ts"
import { ProviderId, VoiceId } from "../../../src/domain/values/Ids.ts"
import { outcomesOf } from "../../../src/pipeline/report/JobReportBuilder.ts"
import { plainJob } from "../deliver/plainJob.ts"

test("lines that share a placement divide it, wherever they are in a long film", () => {
  const casting = Casting.make({ provider: ProviderId.make("provider_fast"), voice: VoiceId.make("v") })
  const numbers = Array.from({ length: 2_002 }, (_, at) => at + 1)
  const start = (cue: number) => millis(cue * 1_000)
  const lines = numbers.map((cue) =>
    Line.make({
      cue,
      part: 0,
      said: "No.",
      casting,
      slot: Slot.make({ start: start(cue), end: start(cue + 1) })
    })
  )
  // Pairs of cues: 1 and 2, 3 and 4 … The second offset pairs 2 and 3, 4 and 5 …
  for (const offset of [0, 1]) {
    const pairs = numbers.filter((cue) => cue % 2 === 1 - offset && cue < numbers.length)
    const together = pairs.map((first) => {
      const refs = [LineRef.make({ cue: first, part: 0 }), LineRef.make({ cue: first + 1, part: 0 })] as const
      const utterance = makeUtterance(casting, "text", `No. ${first}`, ["No.", "No."])
      const segment = Segment.make({
        from: frames(0),
        to: frames(48_000),
        loudness: Lufs.make(-20),
        peak: 0.5
      })
      return {
        use: UtteranceUse.make({ utterance, lines: refs }),
        placement: Placement.make({
          lines: refs,
          parts: [ClipPart.make({ utterance: utterance.key, segment: 0 })],
          start: start(first),
          end: start(first + 2),
          speed: 1,
          flags: ["together"]
        }),
        clip: Clip.make({
          key: utterance.key,
          rate: SampleRate.make(24_000),
          frames: frames(48_000),
          checksum: "",
          segments: [segment],
          cut: "together"
        })
      }
    })
    const outcomes = outcomesOf({
      job: plainJob(["wav"]),
      script: Subtitle.make({
        format: "srt",
        cues: numbers.map((index) =>
          Cue.make({ index, start: start(index), end: start(index + 1), text: "No.", line: index })
        ),
        lost: [],
        notices: []
      }),
      words: {
        cues: numbers.map((cue) => ({ cue, line: cue, parts: [{ cue, part: 0, said: "No." }] })),
        notices: []
      },
      lines,
      uses: together.map(({ use }) => use),
      placements: together.map(({ placement }) => placement),
      clips: new Map(together.map(({ clip }) => [clip.key, clip])),
      failures: new Map(),
      unsaid: new Set(),
      suspects: new Set()
    })
    const heard = [...outcomes].filter(({ index }) => index > offset && index <= pairs.length * 2)
    expect(heard.map(({ heard, utterance }) => [heard?.start, heard?.end, utterance !== undefined])).toEqual(
      heard.map(({ index }) => [start(index), start(index + 1), true])
    )
  }
})
