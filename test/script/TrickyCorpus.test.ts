/**
 * All malformed and awkward files of other parsers' suites: parsed as the suite expects, or rejected with one clear
 * message. If suites disagree with each other or with the needs of dubbing, `choices` has the decision and its reason.
 */
import { describe, expect, it } from "@effect/vitest"
import { Either, Schema } from "effect"
import type { Cue } from "../../src/domain/speech/Cue.ts"
import { readScript } from "../../src/script/ScriptFile.ts"
import { spokenWords } from "../../src/script/spoken/SpokenWords.ts"
import { corpusFile, hasCorpus } from "./corpus.ts"

const Row = Schema.parseJson(
  Schema.Struct({
    file: Schema.String,
    expect: Schema.String,
    cues: Schema.optional(Schema.Array(Schema.Tuple(Schema.Number, Schema.Number, Schema.String)))
  })
)

const rows = hasCorpus
  ? new TextDecoder()
      .decode(corpusFile("tricky/EXPECT.jsonl"))
      .trim()
      .split("\n")
      .map((line) => Schema.decodeSync(Row)(line))
  : []

const read = (file: string) => readScript(corpusFile(`tricky/${file}`), file)

const cuesOf = (file: string): ReadonlyArray<Cue> => {
  const script = Either.getOrThrowWith(read(file), (rejected) => new Error(rejected.message))
  return script._tag === "Subtitle" ? script.cues : []
}

/** Rejected files: the line in the message, and its words. */
const refused: Readonly<Record<string, readonly [line: number, expected: RegExp]>> = {
  "androidx+media/webvtt_empty.vtt": [1, /empty/u],
  "mozilla+vtt.js/file-layout/blank-file-with-bom.vtt": [1, /empty/u],
  "glut23+webvtt-py/invalid_format2.srt": [1, /has no times/u],
  "mantas-done+subtitles/inline_VttTest_testDoesntTakeFilesMentioningVtt.vtt": [1, /has no times/u],
  "mantas-done+subtitles/inline_SrtTest_testWriteUnderstandableMessage.srt": [4, /time line/u],
  "mantas-done+subtitles/inline_SrtTest_testBadTimestampWIthFrames.srt": [4, /frames/u],
  "mantas-done+subtitles/inline_VttTest_testClientFileNoArrow.vtt": [3, /frames/u],
  "mozilla+vtt.js/cue-times/incorrect-delimiter.vtt": [3, /time line/u],
  "w3c+webvtt.js/wpt-file-parsing/timings-eof.vtt": [3, /time line/u],
  "shaka-project+shaka-player/inline_vtt_rejects_invalid_time_values.vtt": [3, /time line/u],
  "shaka-project+shaka-player/inline_vtt_rejects_invalid_time_values_1.vtt": [3, /time line/u],
  "shaka-project+shaka-player/inline_vtt_rejects_invalid_time_values_2.vtt": [3, /time line/u],
  "shaka-project+shaka-player/inline_vtt_rejects_invalid_time_values_3.vtt": [3, /time line/u],
  "pculture+babelsubs/Untimed_text.srt": [2, /99:59:59/u],
  "morevnaproject-org+subtitles-translation/synfig-promo.msrt": [1, /\.srt, \.vtt/u],
  "aloxc+subtitleedit/sdh_remove_text_for_hearing_impaired.json": [1, /no transcript with times/u],
  "SubtitleEdit+subtitleedit/sdh_remove_text_for_hi_head.json": [1, /no transcript with times/u]
}

/** Files that we parse differently from their suite: why, and our times. */
const choices: Readonly<Record<string, readonly [why: string, times: string]>> = {
  "byroot+pysrt/invalid.srt": [
    "times without milliseconds are unambiguous; two other suites accept them",
    "1-10"
  ],
  "glut23+webvtt-py/invalid.vtt": [
    "a missing WEBVTT header loses no words; three other suites accept such files",
    "0.5-7 7-11.89 11.89-16.32 16.32-21.58 21.58-23.88 23.88-27.28 27.28-30.28"
  ],
  "glut23+webvtt-py/invalid_format4.srt": ["a cue without text has nothing to speak", "0.5-7"],
  "glut23+webvtt-py/missing_timeframe.vtt": [
    "one line without a time does not affect the others; it is reported in a notice",
    "0.5-7 11.89-16.32 16.32-21.58 21.58-23.88 23.88-27.28 27.28-30.28"
  ],
  "glut23+webvtt-py/missing_caption_text.srt": [
    "an empty cue is kept, so that other cues keep their numbers, and skipped as empty",
    "0.5-7 7-11.89 11.89-16.32 16.32-21.58 21.58-23.88"
  ],
  "mantas-done+subtitles/vtt_with_missing_text.vtt": [
    "an empty cue is kept and skipped as empty",
    "0-1 1-2 2-3"
  ],
  "mantas-done+subtitles/inline_PublicInterfaceTest_testParsesWithoutLineText.srt": [
    "an empty cue is kept and skipped as empty",
    "0-23 23-25"
  ],
  "mantas-done+subtitles/inline_SrtTest_testParsesWhiteSpaceOnBlankLine.srt": [
    "the file contains a line of the suite's source code, which stays in the text; it has nothing to pronounce",
    "0.283-1.133 1.133-3.733"
  ],
  "mozilla+vtt.js/cue-times/fraction-digits.vtt": [
    "two fraction digits are accepted, as in three other suites",
    "0-2"
  ],
  "mozilla+vtt.js/cue-times/missing-separator.vtt": [
    "two whole times without an arrow are unambiguous, as in SRT",
    "0-0.001"
  ],
  "androidx+media/webvtt_typical_with_bad_timestamps.vtt": [
    "two and four fraction digits are accepted, as in SRT: a tool wrote them, and the words are speech",
    "0-1.234 2.345-3.456 7.789-8.789 9.789-10.78"
  ],
  "mantas-done+subtitles/inline_VttTest_testExceptionIfWrongTimestamp.vtt": [
    "the letter O for a zero is unambiguous in a time line, and reported",
    "0-1"
  ],
  "androidx+media/webvtt_with_x-timestamp-map_header.vtt": [
    "the map refers to a stream's clock, but a finished film starts at zero: shifting by it would be wrong",
    "958715.679-958717.305 958717.433-958718.276"
  ],
  "w3c+webvtt.js/wpt-file-parsing/timings-too-long.vtt": [
    "a superfluous zero is unambiguous and occurs in a real file, also as a fourth digit of the fraction; three minute digits are accepted, as in another suite",
    "9: 0-1 … 0-1"
  ],
  "w3c+webvtt.js/wpt-file-parsing/timings-negative.vtt": [
    "a cue that ends before it starts keeps its start and words; its end is ignored",
    "0-0 1-1 60-60 3600-3600"
  ],
  "captioning+captioning/failed-equal-start-and-end-time-in-last-queue.srt": [
    "the last cue has words and a start, so it is spoken",
    "0-20 21.5-22.5 23-25 27.5-37.5 40-41 72.5-92.5 92.5-92.5"
  ],
  "captioning+captioning/invalid_1.3-non-normative_other-features_2.vtt": [
    "three of four times are unreadable: the fourth cue is kept, the others are reported",
    "6-8"
  ],
  "asticode+go-astisub/example-in-non-utf8.srt": [
    "it is UTF-16 with a byte order mark",
    "99-101.04 124.08-127.12 132.16-135.2 140.24-142.28 148.32-151.36 151.4-153.44"
  ],
  "pbs+pycaption/inline_sample_webvtt_bad_case_header.vtt": ["a lower-case header loses no words", "1-3"],
  "mozilla+vtt.js/file-layout/bom-garbage-data.vtt": ["a missing WEBVTT header loses no words", "0-2"],
  "mozilla+vtt.js/file-layout/newline-before-webvtt.vtt": [
    "a blank line before the header is skipped",
    "0-2"
  ],
  "mozilla+vtt.js/file-layout/tab-after-bom-before-header.vtt": [
    "white space before the header is skipped",
    "0-2"
  ]
}

/** Files whose suite lists no cues: the times according to its description or assertions. */
const times: Readonly<Record<string, string>> = {
  "byroot+pysrt/bom-utf-8.srt": "6.5-9 11-17 19-24 25-31 31-36 37-43 43-50",
  "byroot+pysrt/bom-utf-16-be.srt": "6.5-9 11-17 19-24 25-31 31-36 37-43 43-50",
  "byroot+pysrt/bom-utf-32-be.srt": "6.5-9 11-17 19-24 25-31 31-36 37-43 43-50",
  "byroot+pysrt/no-indexes.srt": "6.5-9 11-17 19-24 25-31 31-36 37-43 43-50",
  "cdown+srt/ascii.srt": "27-30.73 31.5-34.1 34.1-36.57",
  "mantas-done+subtitles/smi.smi": "137.4-140.4 3740.5-3742.5",
  "androidx+media/subrip_typical.srt": "0-1.234 2.345-3.456 7204.567-7208.901",
  "androidx+media/subrip_typical_extra_blank_line.srt": "0-1.234 2.345-3.456 7204.567-7208.901",
  "androidx+media/subrip_typical_missing_timecode.srt": "0-1.234 7204.567-7208.901",
  "androidx+media/subrip_typical_no_hours_and_millis.srt": "0-1.234 2-3 7204.567-7208.901",
  "androidx+media/subrip_typical_utf16be.srt": "0-1.234 2.345-3.456 7204.567-7208.901",
  "androidx+media/subrip_typical_with_byte_order_mark.srt": "0-1.234 2.345-3.456 7204.567-7208.901",
  "androidx+media/ssa_empty_style_line.ass": "1-3",
  "androidx+media/ssa_invalid_positioning.ass": "0-1.23 2.34-3.45 4.56-8.9 9.56-12.9",
  "androidx+media/ssa_layer.ass": "2.34-3.45 13.56-15.9",
  "androidx+media/ssa_overlapping_timecodes.ass":
    "1-4.23 2-5.23 6-8.44 8.44-9.44 8.44-9.44 10.72-15.65 13.22-14.22",
  "androidx+media/ssa_positioning_without_playres.ass": "0-1.23",
  "androidx+media/ssa_typical.ass": "0-1.23 2.34-3.45 4.56-8.9",
  "androidx+media/ssa_typical_utf16be.ass": "0-1.23 2.34-3.45 4.56-8.9",
  "androidx+media/ssa_style_primary_color.ass": "1-2 3-4 5-6 7-8 9-10 11-12 13-14",
  "androidx+media/webvtt_typical_with_identifiers.vtt": "0-1.234 2.345-3.456",
  "androidx+media/webvtt_with_bom.vtt": "0-1.234 2.345-3.456",
  "androidx+media/webvtt_with_overlapping_timestamps.vtt": "0-3 1-2 4-6 5-7",
  "androidx+media/webvtt_with_rubies.vtt": "1-2 3-4 5-6 7-8",
  "androidx+media/webvtt_with_vertical.vtt": "0-1.234 2.345-3.456 4-5",
  "asticode+go-astisub/example-in-carriage-return.ssa": "0-3.766 3.767-10.732 10.733-14.066",
  "asticode+go-astisub/example-in-html-entities.srt": "0.331-3.75 4.101-5.43 6.331-9.675",
  "asticode+go-astisub/example-in-styled.srt": "10: 17.985-20.521 … 720-780",
  "asticode+go-astisub/example-in.vtt":
    "99-101.04 124.08-127.12 132.16-135.2 140.24-142.28 148.32-151.36 151.4-153.44",
  "asticode+go-astisub/missing-sequence-in.srt":
    "99-101.04 124.08-127.12 132.16-135.2 140.24-142.28 148.32-151.36 151.4-153.44",
  "glut23+webvtt-py/captions_with_bom.vtt": "0.5-7 7-11.89 11.89-16.32 16.32-21.58",
  "glut23+webvtt-py/cue_tags.vtt": "16.5-18.5 18.5-20.5 20.5-21.5",
  "glut23+webvtt-py/invalid_timeframe_in_cue_text.vtt": "0.5-7 7-10.89 7-10.89 11.89-16.32",
  "glut23+webvtt-py/metadata_headers_multiline.vtt": "0.5-7 7-11.89",
  "glut23+webvtt-py/one_caption.srt": "0.5-7",
  "glut23+webvtt-py/one_caption.vtt": "0.5-7",
  "glut23+webvtt-py/styles.vtt": "0-10",
  "glut23+webvtt-py/youtube_dl.vtt": "286.07-286.47 286.47-304.08 304.08-305.069 305.069-305.4",
  "glut23+webvtt-py/missing_caption_text.sbv":
    "0.378-11.378 11.378-12.305 13.489-15.489 15.489-16.234 17.484-17.484",
  "captioning+captioning/example-1.srt": "0-20 21.5-22.5 23-25 27.5-37.5 40-41 72.5-92.5",
  "captioning+captioning/non-utf8-win-eol.srt": "8: 0.34-3.86 … 23.59-25.71",
  "captioning+captioning/1-non-normative_sample-file-captions.vtt": "13: 11-13 … 35.5-38",
  "captioning+captioning/1.2-non-normative_comments_1.vtt": "1-4 5-9",
  "captioning+captioning/1.3-non-normative_other-features_1.vtt": "0-2 4-5",
  "captioning+captioning/1.3-non-normative_other-features_3.vtt": "0-4 3-6.5 4-6.5",
  "captioning+captioning/empty.vtt": "",
  "captioning+captioning/invalid_1.1-non-normative_cues-with-multiple-lines.vtt": "1-4 5-9 10-14",
  "captioning+captioning/invalid_1.2-non-normative_comments_2.vtt": "1-4 5-9",
  "captioning+captioning/invalid_1.3-non-normative_other-features_4.vtt":
    "0-20 2.5-22.5 5-25 7.5-27.5 10-30 12.5-32.5",
  "captioning+captioning/long-hours.vtt":
    "36010.94-36020.75 36030.94-36040.75 36040.94-36050.75 360010.75-360020.81 360030.75-360040.81 3600022.86-3600025.56",
  "mantas-done+subtitles/ass_different_format.ass": "137.4-140.4 3740.5-3742.5",
  "mantas-done+subtitles/ass_different_format3.ass": "0-10",
  "mantas-done+subtitles/utf16.srt": "0-1",
  "mantas-done+subtitles/vtt_with_name.vtt": "9-11",
  "mantas-done+subtitles/vtt_without_hours_in_timestamp.vtt": "0-10",
  "mantas-done+subtitles/inline_SrtTest_testRecognizesSrtWithDot.srt": "0-1",
  "jellyfin+jellyfin/example.ass": "1.18-6.85",
  "w3c+webvtt.js/wpt-cue-parsing/tags.vtt": "28: 0-1 … 27-28",
  "w3c+webvtt.js/wpt-cue-parsing/timestamps.vtt": "10: 0-1 … 9-10",
  "w3c+webvtt.js/wpt-file-parsing/arrows.vtt": "0-1 0-1 0-1 0-1 0-1 0-1",
  "w3c+webvtt.js/wpt-file-parsing/header-space.vtt": "0-1",
  "w3c+webvtt.js/wpt-file-parsing/header-timings.vtt": "0-1",
  "w3c+webvtt.js/wpt-file-parsing/newlines.vtt": "0-1 0-1 0-1 0-1",
  "w3c+webvtt.js/wpt-file-parsing/settings-align.vtt": "13: 0-1 … 0-1",
  "w3c+webvtt.js/wpt-file-parsing/settings-multiple.vtt": "0-1 0-1",
  "w3c+webvtt.js/wpt-file-parsing/settings-size.vtt": "16: 0-1 … 0-1",
  "w3c+webvtt.js/wpt-file-parsing/signature-bom.vtt": "",
  "w3c+webvtt.js/wpt-file-parsing/signature-space-no-newline.vtt": "",
  "w3c+webvtt.js/wpt-file-parsing/signature-tab-no-newline.vtt": "",
  "w3c+webvtt.js/wpt-file-parsing/signature-timings.vtt": "",
  "w3c+webvtt.js/wpt-file-parsing/whitespace-chars.vtt": "0-1 0-1 0-1",
  "mozilla+vtt.js/cue-settings/align/bad-delimiter.vtt": "0-2",
  "mozilla+vtt.js/cue-settings/align/capital-keyword.vtt": "0-2",
  "mozilla+vtt.js/cue-settings/align/no-value.vtt": "0-2",
  "mozilla+vtt.js/cue-settings/align/space-before-delimiter.vtt": "0-2",
  "mozilla+vtt.js/cue-settings/line/bad-delimiter.vtt": "0-2",
  "mozilla+vtt.js/cue-settings/line/dash-in-value.vtt": "0-2",
  "mozilla+vtt.js/cue-settings/line/negative-percent-value.vtt": "0-2",
  "mozilla+vtt.js/cue-settings/line/no-value.vtt": "0-2",
  "mozilla+vtt.js/cue-settings/line/percent-over.vtt": "0-2",
  "mozilla+vtt.js/cue-settings/line/space-after-delimiter.vtt": "0-2",
  "mozilla+vtt.js/cue-settings/position/bad-value.vtt": "0-2",
  "mozilla+vtt.js/cue-settings/position/just-percent-value.vtt": "0-2",
  "mozilla+vtt.js/cue-settings/position/percent-over.vtt": "0-2",
  "mozilla+vtt.js/cue-settings/position/space-after-delimiter.vtt": "0-2",
  "mozilla+vtt.js/cue-settings/size/just-percent-value.vtt": "0-2",
  "mozilla+vtt.js/cue-settings/size/no-value.vtt": "0-2",
  "mozilla+vtt.js/cue-settings/size/percent-over.vtt": "0-2",
  "mozilla+vtt.js/cue-settings/size/space-after-delimiter.vtt": "0-2",
  "mozilla+vtt.js/cue-settings/vertical/bogus-value.vtt": "0-2",
  "mozilla+vtt.js/cue-settings/vertical/incorrect-delimiter.vtt": "0-2",
  "mozilla+vtt.js/cue-settings/vertical/no-value.vtt": "0-2",
  "mozilla+vtt.js/cue-settings/vertical/space-before-delimiter.vtt": "0-2",
  "mozilla+vtt.js/cue-times/separator-extra-space.vtt": "25-27",
  "mozilla+vtt.js/cue-times/space-left-tab-right.vtt": "25-27",
  "mozilla+vtt.js/cue-times/spaces-tabs-on-both-sides.vtt": "25-27",
  "mozilla+vtt.js/file-layout/header-no-new-line.vtt": "11-13",
  "mozilla+vtt.js/file-layout/webvtt-space.vtt": "0-2",
  "mozilla+vtt.js/file-layout/webvtt-with-bom.vtt": "0-2",
  "pculture+babelsubs/simple.srt": "19: 0.004-2.093 … 79.041-82.066",
  "pculture+babelsubs/timed_text.srt": "72: 0.028-1.061 … 145.09-147.037",
  "pculture+babelsubs/basic.vtt": "19: 1-3 … 79.041-82.066",
  "pculture+babelsubs/no-hour.vtt": "1-3",
  "pculture+babelsubs/regions.vtt": "0-1 1-2 2-3 3-4 4-5 5-6 6-7",
  "pculture+babelsubs/with-information-header.sbv": "19: 0.048-2.932 … 79.414-82.665",
  "pculture+babelsubs/inline_test_speaker_change.srt": "0.004-2.093",
  "mozilla+popcorn-js/parserSRT_unit.srt": "10: 2.4-5.2 … 37-37.999",
  "mozilla+popcorn-js/parserVTT_data.vtt": "13: 11-13 … 35.5-38",
  "tkarabela+pysubs2/inline_test_read_malformed.srt": "0-60 60-120",
  "tkarabela+pysubs2/inline_test_read_bad_tags.srt": "10.5-13",
  "tkarabela+pysubs2/inline_test_empty_subtitles.srt": "0-0 0-0 1767.46-1769.83",
  "tkarabela+pysubs2/inline_test_keep_ssa_tags.srt": "0-60 60-120",
  "tkarabela+pysubs2/inline_test_win1250_passthrough_with_surrogateescape.srt": "0-60 60-120",
  "tkarabela+pysubs2/inline_test_simple_read.vtt": "0-60 60-120",
  "pbs+pycaption/inline_sample_srt.srt":
    "9.209-12.312 14.848-17 17-18.752 18.752-20.887 20.887-26.76 26.76-32.2 32.2-36.2",
  "pbs+pycaption/inline_sample_srt_numeric.srt":
    "32.29-32.89 32.99-33.59 33.69-34.29 34.39-35.02 35.12-35.76 35.86-36.36 36.46-131.5",
  "pbs+pycaption/inline_sample_srt_trailing_blanks.srt": "32.29-32.89 32.99-33.59",
  "pbs+pycaption/inline_sample_srt_empty_cue_output.srt": "1.209-2.312",
  "pbs+pycaption/inline_sample_webvtt_from_dfxp.vtt":
    "9.209-12.312 14.848-17 17-18.752 18.752-20.887 20.887-26.76 26.76-32.2 32.2-36.2",
  "pbs+pycaption/inline_sample_webvtt_from_sami_with_style.vtt": "9.209-12.312",
  "pbs+pycaption/inline_sample_webvtt_from_dfxp_with_style.vtt": "9.209-12.312",
  "pbs+pycaption/inline_sample_webvtt_from_dfxp_with_positioning_and_style.vtt": "1-3 3.5-5 5.5-7 7.5-9",
  "pbs+pycaption/inline_sample_webvtt_2.vtt":
    "0-43 59-90 100-120 125.105-187.007 247.007-338.441 358.441-400.543 430.543-471.711",
  "pbs+pycaption/inline_sample_webvtt_output_long_cue.vtt": "1-2 2-3 3-4",
  "pbs+pycaption/inline_sample_webvtt_with_cue_settings.vtt": "1-6 1-6",
  "pbs+pycaption/inline_sample_webvtt_last_cue_zero_start.vtt": "0-12.312",
  "pbs+pycaption/inline_sample_webvtt_multi_lang_en.vtt": "14.848-18.848",
  "pbs+pycaption/inline_sample_webvtt_empty_cue_output.vtt": "1.209-2.312",
  "pbs+pycaption/inline_sample_webvtt_with_inline_style.vtt": "1-3 4-6 7-9",
  "pbs+pycaption/inline_sample_webvtt_with_position_and_line.vtt": "1-3",
  "pbs+pycaption/inline_sample_webvtt_with_size_and_align.vtt": "1-3",
  "pbs+pycaption/inline_sample_webvtt_with_combined_settings.vtt": "1-3",
  "pbs+pycaption/inline_sample_webvtt_with_style_block_base.vtt": "1-3",
  "pbs+pycaption/inline_sample_webvtt_with_style_and_class_span.vtt": "1-3",
  "pbs+pycaption/inline_sample_webvtt_with_bom.vtt": "1-3",
  "pbs+pycaption/inline_sample_webvtt_with_note_block.vtt": "1-3",
  "pbs+pycaption/inline_sample_webvtt_style_with_arrow.vtt": "1-3",
  "AlexPoint+SubtitlesParser/Example_With_Comments.vtt": "1-4 5-9",
  "osk+node-webvtt/malformed.vtt": "6313.056-6314.39",
  "SubtitleEdit+subtitleedit/test.ssa": "1-4 5-8 10-13",
  "torpluston+translation/tor-animation.pt_PT.34-of-35-empty.srt": "35: 0.66-2.78 … 122-127",
  "RHI+MetaPlayer/elephant.hebrew.srt": "78: 15.042-18.042 … 540-542.25",
  "RHI+MetaPlayer/elephant.arabic.srt": "77: 15.042-18.625 … 537.333-540",
  "missing-semester+missing-semester/command-line.sbv": "813: 0.48-2.48 … 3360.38-3365.41",
  "derived-encodings/tor-animation.part1.vi.cp1258.srt": "18: 0.66-2.78 … 58.4-61.9",
  "derived-encodings/hf-course-26.zh.gb18030.srt": "128: 0.253-2.92 … 299.22-301.887",
  "derived-encodings/tor-animation.zh_TW.big5.srt": "35: 0.66-2.78 … 122-127",
  "derived-encodings/morevna-ep3.ko.cp949.srt": "59: 0.36-2.4 … 574.88-576.04",
  "derived-encodings/elephants-dream.fr.cp1252.srt": "77: 15-18 … 537.333-540",
  "derived-encodings/morevna-ep3.ru.cp1251.srt": "59: 0.36-2.4 … 574.88-576.04",
  "derived-encodings/tor-animation.ar.cp1256.srt": "35: 0.66-2.78 … 122-127",
  "derived-encodings/tor-animation.th.cp874.srt": "35: 0.66-2.78 … 122-127",
  "derived-encodings/tor-animation.es.utf-16-le.srt": "35: 0.66-2.78 … 122-127"
}

/** Files whose listed text is raw markup, or another tool's: replacements that turn it into plain text. */
const marks: Readonly<Record<string, ReadonlyArray<readonly [find: string, put: string]>>> = {
  "mozilla+vtt.js/cuetext/bold/not-closed.vtt": [["<b>", ""]],
  "mozilla+vtt.js/cuetext/bold/with-closing-span.vtt": [
    ["<b>", ""],
    ["</b>", ""]
  ],
  "mozilla+vtt.js/cuetext/bold/with-two-subclasses.vtt": [
    ["<b.first.loud>", ""],
    ["</b>", ""]
  ],
  "mozilla+vtt.js/cuetext/class/with-annotation.vtt": [
    ["<c Mary>", ""],
    ["</c>", ""]
  ],
  "mozilla+vtt.js/cuetext/class/with-subclass.vtt": [
    ["<c.first>", ""],
    ["</c>", ""]
  ],
  "mozilla+vtt.js/cuetext/escape-characters/gt.vtt": [["&gt;", ">"]],
  "mozilla+vtt.js/cuetext/escape-characters/lrm.vtt": [["&lrm;", ""]],
  "mozilla+vtt.js/cuetext/escape-characters/nbsp.vtt": [["&nbsp;", "\u00a0"]],
  "mozilla+vtt.js/cuetext/escape-characters/together.vtt": [
    ["&lt;", "<"],
    ["&amp;", "&"],
    ["&gt;", ">"],
    ["&nbsp;", "\u00a0"],
    ["&rlm;", ""],
    ["&lrm;", ""]
  ],
  "mozilla+vtt.js/cuetext/italic/with-annotation.vtt": [["<i Mary>", ""]],
  "mozilla+vtt.js/cuetext/italic/with-subclass.vtt": [
    ["<i.first>", ""],
    ["</i>", ""]
  ],
  "mozilla+vtt.js/cuetext/lang/not-closed.vtt": [["<lang en-Us>", ""]],
  "mozilla+vtt.js/cuetext/lang/with-closing-span.vtt": [
    ["<lang en-Us>", ""],
    ["</lang>", ""]
  ],
  "mozilla+vtt.js/cuetext/lang/with-subclass.vtt": [
    ["<lang.first en-Us>", ""],
    ["</lang>", ""]
  ],
  // The text in <rt> is a reading aid: a voice speaks only the base text.
  "mozilla+vtt.js/cuetext/ruby/rt-no-end-tag.vtt": [
    ["<ruby>", ""],
    [" <rt>way!</ruby>", ""]
  ],
  "mozilla+vtt.js/cuetext/ruby/ruby-rt-no-end-tag.vtt": [
    ["<ruby>", ""],
    [" <rt>awesome!", ""]
  ],
  "mozilla+vtt.js/cuetext/ruby/with-closing-span.vtt": [
    ["<ruby>", ""],
    ["<rt>awesome!</rt></ruby>", ""]
  ],
  "mozilla+vtt.js/cuetext/ruby/with-two-subclasses.vtt": [
    ["<ruby.first.loud>", ""],
    [" <rt.first.loud>awesome!</rt></ruby>", ""]
  ],
  // A tag without its ">" would swallow the words after it: they are spoken.
  "mozilla+vtt.js/cuetext/tag-format/end-tag-no-gt.vtt": [
    ["<c>", ""],
    ["</c", ""]
  ],
  "mozilla+vtt.js/cuetext/tag-format/no-closing-gt.vtt": [["<c ", ""]],
  "mozilla+vtt.js/cuetext/tag-format/start-tag-missing-gt.vtt": [
    ["<c.first ", ""],
    ["</c>", ""]
  ],
  "mozilla+vtt.js/cuetext/timestamp/nested.vtt": [
    ["<00:01.000>", ""],
    ["<00:01.500>", ""]
  ],
  "mozilla+vtt.js/cuetext/timestamp/non-digit.vtt": [["<a0:01.000>", ""]],
  "mozilla+vtt.js/cuetext/timestamp/space-after-lt.vtt": [["< 00:01.000>", ""]],
  "mozilla+vtt.js/cuetext/underline/with-annotation.vtt": [
    ["<u Mary>", ""],
    ["</u>", ""]
  ],
  "mozilla+vtt.js/cuetext/underline/with-subclass.vtt": [
    ["<u.first>", ""],
    ["</u>", ""]
  ],
  "mozilla+vtt.js/cuetext/voice/not-closed.vtt": [["<v>", ""]],
  "mozilla+vtt.js/cuetext/voice/with-closing-span.vtt": [
    ["<v Joe>", ""],
    ["</v>", ""]
  ],
  "mozilla+vtt.js/cuetext/voice/with-two-subclasses.vtt": [
    ["<v.first.loud Joe>", ""],
    ["</v>", ""]
  ],
  "mozilla+vtt.js/integration/cue-content.vtt": [
    ["<v Neil deGrasse Tyson>", ""],
    ["<i>", ""],
    ["</i>", ""],
    ["&amp;", "&"],
    ["&gt;", ">"],
    ["&lt;", "<"],
    ["&rlm;", ""],
    ["&lrm;", ""],
    [" \n", "\n"]
  ],
  "mozilla+vtt.js/integration/cycle-collector-talk.vtt": [
    ["<v Kyle Huey> ", ""],
    ["<v Chris Pearce> ", ""],
    ["</v>", ""],
    ["<u>", ""],
    ["</u>", ""],
    ["<i>", ""],
    ["</i>", ""],
    ["<b>", ""],
    ["</b>", ""]
  ],
  "mozilla+vtt.js/integration/spec-example.vtt": [
    ["<v Roger Bingham>", ""],
    ["<v Neil deGrasse Tyson>", ""],
    ["<i>", ""],
    ["</i>", ""],
    // A double-encoded dash is repaired.
    ["â\u0080\u0094", "—"]
  ],
  "GStreamer+gst-plugins-base/srt_input4.srt": [
    ["<b>", ""],
    ["</b>", ""],
    ["annotation", ""]
  ],
  "shaka-project+shaka-player/inline_vtt_supports_payload_stylized.vtt": [
    ["<b>", ""],
    ["<i>", ""],
    ["</b>", ""]
  ],
  // Two lines stay two lines, even if a player shows each in its own cue.
  "shaka-project+shaka-player/inline_vtt_supports_multiline_colored.vtt": [["12", "1\n2"]]
}

/** Files whose description quotes the text of cues. */
const quoted = [
  "androidx+media/subrip_typical.srt",
  "androidx+media/subrip_typical_extra_blank_line.srt",
  "androidx+media/subrip_typical_utf16be.srt",
  "androidx+media/subrip_typical_with_byte_order_mark.srt",
  "androidx+media/webvtt_with_rubies.vtt",
  "asticode+go-astisub/example-in-styled.srt",
  "glut23+webvtt-py/youtube_dl.vtt",
  "mantas-done+subtitles/ass_different_format3.ass",
  "mantas-done+subtitles/vtt_without_hours_in_timestamp.vtt"
]

const timesOf = (cues: ReadonlyArray<Cue>): string => {
  const all = cues.map((cue) => `${cue.start / 1000}-${cue.end / 1000}`)
  return all.length <= 7 ? all.join(" ") : `${all.length}: ${all[0] ?? ""} … ${all.at(-1) ?? ""}`
}

const plain = (file: string, text: string): string =>
  (marks[file] ?? []).reduce((rest, [find, put]) => rest.replaceAll(find, put), text).trim()

describe.skipIf(!hasCorpus)("the tricky corpus", () => {
  it("contains no file without an expectation", () => {
    const known = rows.filter(
      ({ file, cues }) => file in refused || file in choices || file in times || cues !== undefined
    )
    expect(known.length).toBe(rows.length)
    expect(rows.length).toBeGreaterThan(300)
  })

  for (const { file, cues, expect: described } of rows)
    it(file, () => {
      const refusal = refused[file]
      if (refusal !== undefined) {
        const rejected = Either.getOrThrow(Either.flip(read(file)))
        expect(rejected.faults[0].line).toBe(refusal[0])
        expect(rejected.message.split("\n")[0]).toMatch(refusal[1])
        expect(rejected.message).toContain(`${file}:${refusal[0]}:`)
        return
      }
      const script = cuesOf(file)
      const choice = choices[file]
      if (choice !== undefined || cues === undefined) expect(timesOf(script)).toBe(choice?.[1] ?? times[file])
      else
        expect(script.map((cue) => [cue.start / 1000, cue.end / 1000, cue.text])).toEqual(
          cues.map(([start, end, text]) => [start, end, plain(file, text)])
        )
      if (quoted.includes(file))
        for (const match of described.matchAll(/"((?:[^"\\]|\\.)+)"/gu))
          expect(script.map((cue) => cue.text)).toContain((match[1] ?? "").replaceAll("\\n", "\n"))
    })

  it("parses the same cues from every encoding of a file", () => {
    const expected = cuesOf("byroot+pysrt/bom-utf-8.srt")
    const texts = (file: string) => cuesOf(file).map((cue) => cue.text)
    expect(expected[0]?.index).toBe(1)
    for (const file of ["bom-utf-16-be.srt", "bom-utf-32-be.srt", "no-indexes.srt"])
      expect(texts(`byroot+pysrt/${file}`)).toEqual(expected.map((cue) => cue.text))
    expect(texts("androidx+media/ssa_typical_utf16be.ass")).toEqual(texts("androidx+media/ssa_typical.ass"))
    expect(texts("asticode+go-astisub/missing-sequence-in.srt")).toEqual(
      texts("asticode+go-astisub/example-in.vtt")
    )
  })

  it("decodes legacy code pages to the text of the original files", () => {
    const made: ReadonlyArray<readonly [derived: string, original: string]> = [
      ["tor-animation.part1.vi.cp1258.srt", "vi/tor-animation.part1.vi.srt"],
      ["hf-course-26.zh.gb18030.srt", "zh/hf-course-26.zh.srt"],
      ["tor-animation.zh_TW.big5.srt", "zh-TW/tor-animation.zh_TW.srt"],
      ["morevna-ep3.ko.cp949.srt", "ko/morevna-ep3.ko.srt"],
      ["elephants-dream.fr.cp1252.srt", "fr/elephants-dream.fr.srt"],
      ["morevna-ep3.ru.cp1251.srt", "ru/morevna-ep3.ru.srt"],
      ["tor-animation.ar.cp1256.srt", "ar/tor-animation.ar.srt"],
      ["tor-animation.th.cp874.srt", "th/tor-animation.th.srt"],
      ["tor-animation.es.utf-16-le.srt", "es/tor-animation.es.srt"]
    ]
    for (const [derived, original] of made) {
      const script = Either.getOrThrow(readScript(corpusFile(`real/${original}`), original))
      const lacking = derived.includes("cp1252") ? 1 : 0
      const expected = script._tag === "Subtitle" ? script.cues.map((cue) => cue.text) : []
      const differing = cuesOf(`derived-encodings/${derived}`).filter((cue, i) => cue.text !== expected[i])
      expect(differing.length, derived).toBe(lacking)
      expect(differing.every((cue) => cue.text.includes("?"))).toBe(true)
    }
  })

  it("keeps the speakers that formats name", () => {
    expect(cuesOf("mantas-done+subtitles/vtt_with_name.vtt").map((cue) => cue.speaker)).toEqual([
      "Roger Bingham"
    ])
    expect(cuesOf("androidx+media/ssa_typical.ass").map((cue) => cue.speaker)).toEqual([
      "Olly",
      "Olly",
      "Olly"
    ])
    expect(cuesOf("SubtitleEdit+subtitleedit/test.ssa").map((cue) => cue.speaker)).toEqual([
      undefined,
      undefined,
      undefined
    ])
    expect(
      cuesOf("mozilla+vtt.js/integration/cycle-collector-talk.vtt")[1]?.turns?.map((turn) => turn.speaker)
    ).toEqual(["Chris Pearce", "Kyle Huey"])
  })

  const said = (file: string) =>
    spokenWords(Either.getOrThrow(read(file)), {}, []).cues.map((cue) =>
      "parts" in cue ? cue.parts.map((part) => part.speaker ?? "") : cue.skipped
    )

  it("speaks all words, by the right speakers", () => {
    expect(new Set(said("RHI+MetaPlayer/elephant.hebrew.srt"))).toEqual(new Set(["lost"]))
    expect(
      said("torpluston+translation/tor-animation.pt_PT.34-of-35-empty.srt").filter((cue) => cue !== "empty")
    ).toHaveLength(1)
    expect(cuesOf("RHI+MetaPlayer/elephant.arabic.srt").some((cue) => cue.text.includes("|"))).toBe(false)
    expect(said("pculture+babelsubs/inline_test_speaker_change.srt")).toEqual([["", ""]])
    expect(said("pbs+pycaption/inline_sample_srt.srt")).toEqual([
      "sound-effect",
      // One sentence over three cues.
      ["MAN"],
      ["MAN"],
      ["MAN"],
      ["MAN 2"],
      ["MAN 2"],
      "sound-effect"
    ])
    expect(said("pbs+pycaption/inline_sample_webvtt_output_long_cue.vtt")).toEqual([
      "empty",
      ["NARRATOR"],
      ["NARRATOR"]
    ])
    expect(
      said("asticode+go-astisub/example-in-styled.srt").filter((cue) => cue === "sound-effect")
    ).toHaveLength(5)
    expect(said("glut23+webvtt-py/youtube_dl.vtt")).toEqual([[""], [""], [""], "repeated"])
    expect(said("mozilla+vtt.js/integration/cycle-collector-talk.vtt")[1]).toEqual([
      "Chris Pearce",
      "Kyle Huey"
    ])
  })

  it("reports letters destroyed by an earlier conversion", () => {
    const script = Either.getOrThrow(read("RHI+MetaPlayer/elephant.hebrew.srt"))
    expect(script.notices.map((notice) => notice.message)).toEqual([
      "78 cues contain letters destroyed by an earlier conversion (\ufffd)"
    ])
  })
})
