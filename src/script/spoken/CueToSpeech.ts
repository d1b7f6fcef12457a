/**
 * One cue's text to what each speaker says of it: notes, labels and wishes taken out, the rest made ready for a
 * voice.
 */
import { Notice } from "../../domain/speech/Cue.ts"
import { SpeakerName } from "../../domain/values/Ids.ts"
import type { SkipReason } from "../../domain/speech/Line.ts"
import type { TextSettings } from "../../domain/manifest/ScriptSettings.ts"
import { type LabelSurvey, surveyLabels } from "./SpeakerLabels.ts"
import { type Lexicon, sayBy } from "./Lexicon.ts"
import { withoutMusic, withoutSounds } from "./NonSpeech.ts"
import { type InlineDirectives, extractDirectives } from "../markup/InlineDirectives.ts"
import { cleanLine, type Vocabulary, vocabularyOf } from "./SpokenLine.ts"
import { speakerTurns } from "./SpeakerTurns.ts"
import { isPronounceable } from "../language/WritingSystems.ts"

/** What is known while a script is read from its beginning to its end. */
export interface Reader {
  readonly settings: TextSettings
  readonly lexicon: Lexicon
  readonly survey: LabelSurvey | undefined
  readonly vocabulary: Vocabulary
  readonly notices: Array<Notice>
  /** Each speaker as the manifest writes it, else as first written, by its name in capitals. */
  readonly names: Map<string, SpeakerName>
  /** The speaker that a label at the end of a cue announces for the next one. */
  announced: SpeakerName | undefined
  /** Who spoke last. */
  last: SpeakerName | undefined
}

/** A reader for these texts, at their beginning. */
export const makeReader = (
  texts: ReadonlyArray<string>,
  speakers: ReadonlyArray<SpeakerName>,
  settings: TextSettings,
  lexicon: Lexicon
): Reader => ({
  settings,
  lexicon,
  survey:
    settings.speakerLabels === "speak"
      ? undefined
      : surveyLabels(
          texts.flatMap((text) => text.split("\n")),
          speakers
        ),
  vocabulary: vocabularyOf(texts),
  notices: [],
  names: new Map(speakers.toReversed().map((name) => [name.toUpperCase(), name])),
  announced: undefined,
  last: undefined
})

/** What one speaker says, which may be nothing. */
export interface SpokenCue {
  readonly speaker: SpeakerName | undefined
  readonly said: string
  readonly overrides: InlineDirectives
  /** What was left out of it. */
  readonly left: "music" | "sound-effect" | undefined
}

/** Why nothing at all is said. */
export const skipReasonOf = (said: ReadonlyArray<SpokenCue>): SkipReason =>
  said.some((turn) => turn.left === "music")
    ? "music"
    : said.some((turn) => turn.left === "sound-effect")
      ? "sound-effect"
      : "empty"

/** A text's turns, each with what is said of it, which may be nothing. */
export const turnsToSpeech = (
  text: string,
  formatSpeaker: SpeakerName | undefined,
  line: number,
  reader: Reader
): ReadonlyArray<SpokenCue> => {
  const { settings } = reader
  const music = withoutMusic(text, settings.music ?? "skip")
  const turns = speakerTurns(music.text, reader.survey)
  return turns.map((turn, i) => {
    const wishes = extractDirectives(turn.text)
    for (const fault of wishes.faults)
      reader.notices.push(Notice.make({ line, message: `passed over: ${fault}` }))
    const speaker = speakerOf(
      wishes.overrides.speaker ?? turn.speaker ?? formatSpeaker,
      turn.changed || (turns.length > 1 && i > 0),
      reader
    )
    const sounds = withoutSounds(wishes.text, settings.soundEffects ?? "skip")
    const words = wishes.overrides.say ?? sounds.text
    const said = cleanLine(sayBy(reader.lexicon, cleanLine(words, reader.vocabulary)), reader.vocabulary)
    if (said === "" && i === turns.length - 1 && turn.speaker !== undefined && turn.text === "")
      reader.announced = speaker
    const left = music.music ? "music" : sounds.sounds ? "sound-effect" : undefined
    return { speaker, said: isPronounceable(said) ? said : "", overrides: wishes.overrides, left }
  })
}

/**
 * Whoever is named; else whom a label before announced; else, where speakers stick, who spoke last, if no mark says
 * that someone else does.
 */
const speakerOf = (named: string | undefined, changed: boolean, reader: Reader): SpeakerName | undefined => {
  const { settings } = reader
  if (settings.speakerLabels === "drop") return undefined
  const announced = reader.announced
  reader.announced = undefined
  if (named === undefined) {
    const speaker = announced ?? (settings.stickySpeakers === true && !changed ? reader.last : undefined)
    reader.last = speaker
    return speaker
  }
  const key = named.toUpperCase()
  const name = reader.names.get(key) ?? SpeakerName.make(named.trim())
  reader.names.set(key, name)
  reader.last = name
  return name
}
