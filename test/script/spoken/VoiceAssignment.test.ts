import { describe, expect, it } from "@effect/vitest"
import { Either } from "effect"
import { Casting } from "../../../src/domain/speech/Casting.ts"
import { Cue, Subtitle } from "../../../src/domain/speech/Cue.ts"
import { ProviderId, SpeakerName, VoiceId } from "../../../src/domain/values/Ids.ts"
import { Line, Slot } from "../../../src/domain/speech/Line.ts"
import { millis } from "../../../src/domain/time/Units.ts"
import { assignVoices, speakersOf } from "../../../src/script/spoken/VoiceAssignment.ts"
import { spokenWords } from "../../../src/script/spoken/SpokenWords.ts"

const words = spokenWords(
  Subtitle.make({
    format: "srt",
    notices: [],
    cues: ["ANNA: One.", "Two.", "BO: Three.\nANNA: Four.", "{speed: 1.5}ANNA: Five.", "[wind]"].map(
      (text, i) =>
        Cue.make({ index: i + 1, start: millis(i * 2000), end: millis(i * 2000 + 1000), text, line: i + 1 })
    )
  }),
  {},
  []
).cues

const voice = (id: string) =>
  Casting.make({ provider: ProviderId.make("provider_native"), voice: VoiceId.make(id) })

describe("assignVoices", () => {
  it("gives each part its speaker's voice, with the text's own overrides", () => {
    const lines = Either.getOrThrow(
      assignVoices(words, (speaker, overrides) =>
        Either.right(Casting.make({ ...voice(speaker ?? "nobody"), ...overrides }))
      )
    )
    expect(lines[0]).toEqual(
      Line.make({
        cue: 1,
        part: 0,
        speaker: SpeakerName.make("ANNA"),
        said: "One.",
        slot: Slot.make({ start: millis(0), end: millis(1000) }),
        casting: voice("ANNA")
      })
    )
    expect(
      lines.map((line) => [line.cue, line.part, line.said, line.casting.voice, line.casting.speed])
    ).toEqual([
      [1, 0, "One.", "ANNA", undefined],
      [2, 0, "Two.", "nobody", undefined],
      [3, 0, "Three.", "BO", undefined],
      [3, 1, "Four.", "ANNA", undefined],
      [4, 0, "Five.", "ANNA", 1.5]
    ])
  })

  it("lists every speaker without a voice, with the number of cues", () => {
    const uncast = Either.getOrThrow(
      Either.flip(
        assignVoices(words, (speaker) => (speaker === "BO" ? Either.right(voice("bo")) : Either.left("none")))
      )
    )
    expect(uncast.speakers.map(({ speaker, cues }) => [speaker, cues])).toEqual([
      ["ANNA", 3],
      [undefined, 1]
    ])
    expect(uncast.message).toBe(
      'no voice for ANNA (3 cues), cues without a speaker (1 cue); give each a voice under "speakers", or set "voice" as the default'
    )
  })

  it("counts the speakers of a script", () => {
    expect(speakersOf(words).map(({ speaker, cues }) => [speaker, cues])).toEqual([
      ["ANNA", 3],
      [undefined, 1],
      ["BO", 1]
    ])
  })
})
