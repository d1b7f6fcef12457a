/** Turns one cue's text into each speaker's words: removes notes, labels and directives, and cleans up the rest. */
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

/** State kept while a script is read from start to end. */
export interface Reader {
  readonly settings: TextSettings
  readonly lexicon: Lexicon
  readonly survey: LabelSurvey | undefined
  readonly vocabulary: Vocabulary
  readonly notices: Array<Notice>
  /** Speakers by upper-case name, spelt as in the manifest or else as at first sight. */
  readonly names: Map<string, SpeakerName>
  /** The speaker whom a label at the end of a cue announces for the next one. */
  announced: SpeakerName | undefined
  /** The last speaker. */
  last: SpeakerName | undefined
}

/** Creates the state for reading these texts from the start. */
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

/** One speaker's part of a cue; `said` may be empty. */
export interface SpokenCue {
  readonly speaker: SpeakerName | undefined
  readonly said: string
  readonly overrides: InlineDirectives
  /** The parts that were removed from it. */
  readonly left: "music" | "sound-effect" | undefined
}

/** Returns why a cue has nothing to say. */
export const skipReasonOf = (said: ReadonlyArray<SpokenCue>): SkipReason =>
  said.some((turn) => turn.left === "music")
    ? "music"
    : said.some((turn) => turn.left === "sound-effect")
      ? "sound-effect"
      : "empty"

/** Splits a text into speaker turns and returns the words of each, which may be empty. */
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
    const directives = extractDirectives(turn.text)
    for (const fault of directives.faults)
      reader.notices.push(Notice.make({ line, message: `skipped ${fault}` }))
    const speaker = speakerOf(
      directives.overrides.speaker ?? turn.speaker ?? formatSpeaker,
      turn.changed || (turns.length > 1 && i > 0),
      reader
    )
    const sounds = withoutSounds(directives.text, settings.soundEffects ?? "skip")
    const words = directives.overrides.say ?? sounds.text
    const said = cleanLine(sayBy(reader.lexicon, cleanLine(words, reader.vocabulary)), reader.vocabulary)
    if (said === "" && i === turns.length - 1 && turn.speaker !== undefined && turn.text === "")
      reader.announced = speaker
    const left = music.music ? "music" : sounds.sounds ? "sound-effect" : undefined
    return { speaker, said: isPronounceable(said) ? said : "", overrides: directives.overrides, left }
  })
}

/**
 * Returns the named speaker, else the one that the previous label announced. Else, with `stickySpeakers`, returns the
 * last speaker, unless a mark says that the speaker changed.
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
