/** Turns one cue's text into each speaker's words: removes notes, labels and directives, and cleans up the rest. */
import { noticeAt, type Notice } from "../../domain/speech/Cue.ts"
import { SpeakerName } from "../../domain/values/Ids.ts"
import type { SkipReason } from "../../domain/speech/Line.ts"
import type { TextSettings } from "../../domain/manifest/ScriptSettings.ts"
import { surveyLabels, labelAt, type LabelSurvey } from "./SpeakerLabels.ts"
import { sayBy, type Lexicon } from "./Lexicon.ts"
import { extractDirectives, leadingDirectives, type InlineDirectives } from "../markup/InlineDirectives.ts"
import { isPronounceable, isCapitals, wordCount } from "../language/WritingSystems.ts"
import { endsSentence } from "../language/SentenceBoundaries.ts"
import { namesRole, namesSound } from "../language/SoundWords.ts"

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
    for (const fault of directives.faults) reader.notices.push(noticeAt(line, `skipped ${fault}`))
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

/** One speaker's part of a cue's text. */
interface SpokenTurn {
  /** The speaker named by a label. */
  readonly speaker: string | undefined
  /** Whether a label or mark says that the speaker changed. */
  readonly changed: boolean
  /** Its lines, without label and marks; empty if a label at the cue's end announces the next cue's speaker. */
  readonly text: string
}

/**
 * A dash that begins a turn; not a minus, a double dash (broken-off sentence) or a lower-case afterthought. Before a
 * lower-case word, see {@link answers}.
 */
const dash = /^\s*[-\u2010-\u2015\u2212](?![-\u2010-\u2015\d])\s*(?!\p{Ll})(?=\S)/u
const anyDash = /^\s*[-\u2010-\u2015\u2212](?![-\u2010-\u2015\d])\s*(?=\S)/u
const arrows = /^\s*>{2,}\s*/u

/** Splits a cue's text into turns. Without a survey, labels are text. */
const speakerTurns = (text: string, survey: LabelSurvey | undefined): ReadonlyArray<SpokenTurn> => {
  const lines = text.split("\n").flatMap(atArrows)
  const dashed = lines.filter((line) => dash.test(line)).length
  const answered = lines.some((_, at) => answers(lines, at))
  const dialogue = answered || dashed > 1 || (dashed === 1 && !dash.test(lines[0] ?? ""))
  const turns: Array<{ speaker: string | undefined; changed: boolean; lines: Array<string> }> = []
  const begin = (line: string, marked: boolean): void => {
    const directives = leadingDirectives(line)
    const label = survey === undefined ? undefined : labelAt(line.slice(directives.length), survey, marked)
    const last = turns.at(-1)
    if (label === undefined && !marked && last !== undefined) last.lines.push(line)
    else
      turns.push({
        speaker: label?.name,
        changed: marked || label !== undefined,
        lines: [label === undefined ? line : directives + label.rest]
      })
  }
  for (const [at, line] of lines.entries()) {
    const begins = dash.test(line) || answers(lines, at) || (answered && at === 0)
    const marked = arrows.test(line) || (dialogue && begins)
    const words = line.replace(arrows, "")
    const bare = marked || turns.length === 0 ? words.replace(anyDash, "") : words
    for (const [i, piece] of pieces(bare, survey, dashed > 0).entries())
      begin(piece.text, piece.marked || (marked && i === 0))
  }
  return turns.map((turn) => ({
    speaker: turn.speaker,
    changed: turn.changed,
    text: turn.lines.join("\n").trim()
  }))
}

/** Whether a line begins with a dash, like its cue, and follows a line that ends a sentence. */
const answers = (lines: ReadonlyArray<string>, at: number): boolean =>
  at > 0 &&
  anyDash.test(lines[at] ?? "") &&
  anyDash.test(lines[0] ?? "") &&
  endsSentence((lines[at - 1] ?? "").replace(noteAtEnd, ""))

/** A sound in brackets after a sentence: "Who is there? (knocking)". */
const noteAtEnd = /\s*[[(][^[\]()]*[\])]\s*$/u

const atArrows = (line: string): ReadonlyArray<string> =>
  line.includes(">>") ? line.split(/(?<=\S)\s*(?=>>)(?<!>)/u) : [line]

/**
 * Splits a line where the speaker changes within it. That is after the end of a sentence, at a dash (if the cue uses
 * dashes) or at a label in capitals.
 */
const pieces = (
  line: string,
  survey: LabelSurvey | undefined,
  dashes: boolean
): ReadonlyArray<{ readonly text: string; readonly marked: boolean }> => {
  const found: Array<{ text: string; marked: boolean }> = []
  let from = 0
  for (const match of line.matchAll(/[.?!…。！？]["”’)\]]*\s+/gu)) {
    const at = match.index + match[0].length
    const behind = line.slice(at, at + 80)
    const marked = dashes && /^[-\u2010-\u2015]\s+(?!\p{Ll})\S/u.test(behind)
    const named =
      survey !== undefined &&
      !survey.capitals &&
      isCapitals(/^[^:]*/u.exec(behind)?.[0] ?? "") &&
      labelAt(behind, survey, true) !== undefined
    if ((!marked && !named) || !endsSentence(line.slice(from, at))) continue
    found.push({ text: line.slice(from, at).trim(), marked: from > 0 })
    from = at + (marked ? (/^[-\u2010-\u2015]\s+/u.exec(behind)?.[0].length ?? 0) : 0)
  }
  found.push({ text: line.slice(from).trim(), marked: from > 0 })
  return found
}

/** A file's words in lower case, for rejoining words hyphenated at line ends. */
interface Vocabulary {
  /** Words written with a hyphen within a line. */
  readonly hyphenated: ReadonlySet<string>
  /** Words without a hyphen. */
  readonly plain: ReadonlySet<string>
}

/** Collects a file's words; `texts` are its cues. Empty if no word is hyphenated at a line end. */
const vocabularyOf = (texts: ReadonlyArray<string>): Vocabulary => {
  const hyphenated = new Set<string>()
  const plain = new Set<string>()
  if (texts.some((text) => brokenWord.test(text)))
    for (const text of texts)
      for (const match of text.matchAll(
        /\p{L}[\p{L}\p{M}]*(?:[-\u2010]\p{L}[\p{L}\p{M}]*)*(?![-\u2010\p{L}\p{M}])/gu
      ))
        (/[-\u2010]/u.test(match[0]) ? hyphenated : plain).add(match[0].toLowerCase())
  return { hyphenated, plain }
}

const brokenWord = /\p{L}[-\u2010]\n/u

/** First halves that always keep their hyphen: "self-", "well-", "e-". */
const prefixes = new Set(
  "self well ex non co e anti multi semi half vice all cross high low long short old new mid so pre post re pro auto".split(
    " "
  )
)

/** Returns the text for a voice: one line of words to pronounce. */
const cleanLine = (text: string, vocabulary: Vocabulary): string =>
  ordinary.test(text) && !untidy.test(text)
    ? text
    : punctuated(withoutSigns(joined(text.replace(misplaced, "$2$1"), vocabulary))).normalize("NFC")

/** Only letters, digits, punctuation and spaces that cleaning keeps, in one line: true of most lines of most files. */
const ordinary =
  /^[A-Za-z\d\u00c0-\u024f\u0400-\u0482\u048a-\u04ff\u3041-\u3096\u30a1-\u30fa\u4e00-\u9fff\uac00-\ud7a3 .,!?…:;'’"“”«»()%&/、。，！？—–-]*$/u

/** Punctuation and spaces that cleaning may change. */
const untidy = /^[ .…,;:、，—–]|--|[—–]{2}| [ ,.;!?…]| [-–]?$/u

/** Final punctuation before a right-to-left line, where an editor for left-to-right text puts it. */
const misplaced =
  /^[ \t]*([.,!?؟،]|[!?؟]{2,3})[ \t]*(?=[\p{sc=Hebrew}\p{sc=Arabic}])([^\n]*[\p{L}\p{M}\p{N}"”])[ \t]*$/gmu

/**
 * Removes characters that are never pronounced: control and private-use characters, emoji, arrows, leftovers of markup.
 */
const withoutSigns = (text: string): string =>
  text
    .replace(/[\p{Cc}\p{Cf}\p{Co}\p{Cn}\ufffd]/gu, (sign) =>
      /[\u200c\u200d]/u.test(sign) ? sign : /\s/u.test(sign) ? " " : ""
    )
    .replace(
      /\p{Extended_Pictographic}(?:[\ufe0f\u{1f3fb}-\u{1f3ff}]|\u200d\p{Extended_Pictographic})*/gu,
      (sign) => (/[©®™]/u.test(sign) ? sign : " ")
    )
    .replace(/[{}•▪●■]|[-=]{1,2}>|[→⇒]/gu, " ")
    .replace(/<(?=\/?\p{L})|(?<=\p{L}["'/]?)>/gu, " ")
    .replace(/\s+/gu, " ")
    .trim()

/**
 * Normalizes punctuation: single spaces, `--` as an em dash. Removes dots, commas and dashes that only mark the
 * continuation of a sentence.
 */
const punctuated = (text: string): string => {
  const line = text
    .replace(/ ?-{2,} ?/gu, " — ")
    .replace(/[—–]{2,}/gu, "—")
    .replace(/ {2,}/gu, " ")
  const lead = /^[ .…,;:、，；—–]+/u.exec(line)?.[0] ?? ""
  // A single full stop right before a word belongs to it: ".5", ".NET".
  return line
    .slice(/(?:^| )\.$/u.test(lead) ? lead.length - 1 : lead.length)
    .replace(/ (?=[,.;!?…](?: |$))/gu, (space, at: number, whole: string) =>
      /[.…]/u.test(whole[at - 1] ?? "") ? space : ""
    )
    .replace(/ [-\u2010\u2013] *$/u, "")
    .replace(/(?<=[.!?…]) \.(?! ?\.)/gu, "")
    .trim()
}

/** Words before which a hyphen at a line's end marks an omitted part: "Vor-\nund Nachteile". */
const joiners = new Set("und oder bzw and or et ou y o e en of och eller og i и или".split(" "))

/**
 * Joins lines, and rejoins words hyphenated at line ends. A word keeps its hyphen if the file writes it with one. So
 * does a word whose first half is a known prefix or a word of its own.
 */
const joined = (text: string, vocabulary: Vocabulary): string =>
  text
    .replace(
      /(?<![\p{L}\p{M}'’-])(\p{L}[\p{L}\p{M}]*)[-\u2010]\n\s*(?=(\p{Ll}[\p{L}\p{M}]*))/gu,
      (_, first: string, second: string) => {
        if (joiners.has(second)) return `${first}- `
        const [half, whole] = [first.toLowerCase(), `${first}-${second}`.toLowerCase()]
        return prefixes.has(half) || vocabulary.hyphenated.has(whole) || vocabulary.plain.has(half)
          ? `${first}-`
          : first
      }
    )
    .replace(/\n+/gu, " ")

/**
 * Removes non-speech from captions: sounds in brackets, lyrics between music notes. Brackets may also contain spoken
 * words ("the [third] block", "the LHC (at CERN)"), so their position and contents decide.
 */

const sign = "[♩-♬\\u{1d15e}-\\u{1d164}\\u{1f3b5}\\u{1f3b6}]"
const musicSign = new RegExp(sign, "u")
const everySign = new RegExp(sign, "gu")
const between = new RegExp(`${sign}+[^♩-♬]*?${sign}+`, "gu")
const endsSung = new RegExp(`^.*${sign}[ \\t]*$`, "gmu")
const beginsSung = new RegExp(`${sign}(?:[^\\n]|\\n(?![ \\t]*[-\u2013\u2014]))*`, "gu")
const hashed = /^[ \t]*#[ \t][^#\n]*(?:#[ \t]*$|\n[ \t]*#?[^#\n]*#[ \t]*$)|^[ \t]*\?[ \t][^?\n]*\?[ \t]*$/gmu

/** `¶ … ¶` from a line's start to a line's end: pilcrows in place of notes, for character sets without them. */
const pilcrows = /¶(?<=^[ \t]*(?:[-\u2013\u2014][ \t]*)?¶)((?:[^¶]|¶(?![ \t]*$)){0,300})¶(?=[ \t]*$)/gmu

/**
 * Removes lyrics; with "speak", only the signs. Lyrics are:
 *
 * - text between music notes
 * - a line that ends with a note
 * - text from a note to the end or to the next speaker's dash
 * - lines in `# … #`, or in `? … ?` (notes after a wrong conversion)
 */
const withoutMusic = (text: string, music: "skip" | "speak"): { text: string; music: boolean } => {
  const written = text.includes("¶") ? text.replace(pilcrows, "♪$1♪") : text
  if (!musicSign.test(written) && !/^[ \t]*[#?][ \t]/mu.test(written)) return { text, music: false }
  const left =
    music === "skip"
      ? [between, endsSung, beginsSung, hashed].reduce((rest, lyrics) => rest.replace(lyrics, " "), written)
      : written.replace(everySign, " ").replace(/^[ \t]*#[ \t]+|(?<![ \t])[ \t]+#[ \t]*$/gmu, "")
  return { text: left, music: left !== text }
}

const group =
  /\*?\[[^[\]]{0,160}\]|\*?\([^()]{0,160}\)|（[^（）]{0,160}）|【[^【】]{0,160}】|［[^［］]{0,160}］|\{[^{}]{0,160}\}|\*(?<=^[ \t]*(?:[-\u2013\u2014][ \t]*)?\*)[ \t][^*]{1,160}[ \t]\*(?=[ \t]*$)|(?<![\p{L}\p{N}*])\*(?=[\p{L}[(])[^*\n]{1,40}(?<=[\p{L})\]])\*(?![\p{L}\p{N}*])|<[\p{Lu}][^<>\n]{0,60}>/gmu

/** Removes notes from one speaker's text; with "speak", only the brackets. */
const withoutSounds = (text: string, sounds: "skip" | "speak"): { text: string; sounds: boolean } => {
  group.lastIndex = 0
  if (!/[[({<（【［*]/u.test(text)) return { text, sounds: false }
  const whole = !isPronounceable(text.replace(group, ""))
  let taken = false
  const left = text.replace(group, (written: string, at: number) => {
    const attached = /[\p{L}\p{N}_]$/u.test(text.slice(Math.max(0, at - 2), at))
    const inner = written.replace(/^\*?[[({<（【［]|[\])}>）】］]$|^\*|\*$/gu, "")
    if (isReading(inner, text.slice(Math.max(0, at - 2), at))) return ""
    if (!isPronounceable(inner)) return attached ? written : " "
    if (attached && !/^[（【［]/u.test(written) && !/\s/u.test(inner)) return written
    if (sounds === "skip" && isNote(written, inner, text, at, whole)) {
      taken = true
      return " "
    }
    return /^[（(]/u.test(written) ? written : inner
  })
  return { text: left, sounds: taken }
}

/** Whether brackets contain the reading of the kanji before them, as in 「漢字(かんじ)」. */
const isReading = (inner: string, before: string): boolean =>
  /^[\p{sc=Hiragana}ー]+$/u.test(inner) && /\p{sc=Han}$/u.test(before)

/** How many characters of context around a note are examined. */
const near = 80

/** Maximum words of a note in round brackets; longer text is a sentence. */
const fewWords = 4

const isNote = (written: string, inner: string, text: string, at: number, whole: boolean): boolean => {
  const words = wordCount(inner)
  const sound = namesSound(inner) && words <= 8
  const padded = /^\s/u.test(inner) && /\s$/u.test(inner)
  const role = isCapitals(inner) && namesRole(inner)
  const isMarked = /^(?:\{|\*[\s[(])/u.test(written) || (written.startsWith("<") && isCapitals(inner))
  if (sound || padded || role || isMarked) return true
  const round = /^[（(]/u.test(written)
  if (round && words > fewWords) return false
  const before = text.slice(Math.max(0, at - near), at)
  const behind = text.slice(at + written.length, at + written.length + near)
  // The sentence continues or ends after it, so it is spoken: "[word].", "[word] --".
  if (written.startsWith("[") && words <= 2 && /^\s*(?:[.,;]|--|[\u2013\u2014])/u.test(behind)) return false
  if (whole) return true
  const fresh = /^\s*$|[.?!…。！？:♪"”]\s*$/u.test(before)
  const lineAlone = /(?:^|\n)[ \t]*$/u.test(before) && /^[ \t]*(?:\n|$)/u.test(behind)
  if (lineAlone && fresh) return true
  const aside =
    /^\p{Ll}|^(?:To|In|On|Over|From|Into|Through) |, (?:in|on|over|from|into|\p{Ll}+ing)(?: |$)/u.test(
      inner
    ) || isCapitals(inner)
  const leads = fresh && aside && /^\s*["“'‘¿¡]?\p{Lu}/u.test(behind)
  const ends = fresh && /\S/u.test(before) && /^\p{Ll}/u.test(inner) && words <= 4 && /^\s*$/u.test(behind)
  return leads || ends
}
