/**
 * Parses TTML and its profiles into cues: DFXP, IMSC 1 to 1.2, EBU-TT, EBU-TT-D, SMPTE-TT, iTT and W3C DAPT
 * (https://www.w3.org/TR/ttml2/).
 */
import { Either } from "effect"
import { noticeAt, faultAt } from "../../../domain/speech/Cue.ts"
import { excerpt } from "../../markup/CueLines.ts"
import { startsBeforeZero } from "../cues/TimingLine.ts"
import { type ReadSubtitle, subtitleOf, type TimedOptions } from "../timed/TimedLines.ts"
import { daptScriptOf } from "./DaptScript.ts"
import { clockOf, ttmlTime } from "./TtmlClock.ts"
import { ttmlLines } from "./TtmlLines.ts"
import { stylesIn } from "./TtmlStyles.ts"
import { timesOf } from "./TtmlTimes.ts"
import { elementsNamed, parseXml, textIn, type XmlElement } from "./XmlTree.ts"

const refused = (line: number, found: string, expected: string): ReadSubtitle =>
  Either.left([faultAt(line, excerpt(found), expected)])

/**
 * Parses a file's text. Syntax errors are reported, and the rest of the file is read. A file without text to speak is
 * rejected.
 */
export const readTtml = (text: string, options: TimedOptions = {}): ReadSubtitle => {
  const { root: outermost, faults, declaresEntities } = parseXml(text)
  const isFragment = outermost !== undefined && /^(?:body|div)$/u.test(outermost.name)
  const root = isFragment ? wrapped(outermost) : outermost
  if (declaresEntities)
    return refused(
      1,
      "<!ENTITY",
      "the file declares XML entities, which are not expanded; write out their text"
    )
  const [fault] = faults
  if (root === undefined)
    return refused(
      fault?.line ?? 1,
      "",
      `expected TTML but found no XML element (${fault?.message ?? "empty"})`
    )
  if (root.name !== "tt")
    return refused(
      root.line,
      `<${root.name}>`,
      `expected a TTML file, whose root element is <tt>; found ${kindOf(root)}. Convert it to TTML or SRT`
    )
  const clock = clockOf(root)
  const times = timesOf(root, clock)
  const { lines, otherLanguages, outside } = ttmlLines(root, {
    times,
    styles: stylesIn(root),
    dapt: daptScriptOf(root, options.language)
  })
  const wallClock = [...times.unread].find(([, written]) => /^\s*wallclock\b/iu.test(written))
  if (wallClock !== undefined)
    return refused(
      wallClock[0].line,
      excerpt(wallClock[1]),
      "a time of day, which is not a position in the film; export the file with media times"
    )
  const notices = faults.map(({ line, message }) =>
    noticeAt(Math.max(1, line), `not well-formed XML (${message}); read anyway`)
  )
  const tell = (line: number | undefined, message: string): void => {
    if (line !== undefined) notices.push(noticeAt(line, message))
  }
  for (const [element, written] of [...times.unread].slice(0, 20))
    if (times.damaged(element) === undefined)
      tell(
        element.line,
        ttmlTime(written, clock) === undefined
          ? `ignored the time "${excerpt(written)}"; expected one such as 00:00:01.500, 00:00:01:12 or 1.5s`
          : startsBeforeZero
      )
  if (isFragment) tell(root.line, "the <tt> element is missing; read as a part of a TTML file")
  if (times.isAbsolute)
    tell(root.line, "all times were counted from the start of the file, also inside timed elements")
  tell(otherLanguages[0], `skipped ${counted(otherLanguages.length, "text")} in other languages`)
  tell(
    outside[0],
    `skipped ${counted(outside.length, "paragraph")} outside the times of the elements around them`
  )
  const programme = elementsNamed(root, "documentStartOfProgramme")[0]
  return subtitleOf(
    lines,
    notices,
    {
      stated: programme === undefined ? undefined : ttmlTime(textIn(programme), clock),
      // Times of day, too, count from a whole hour.
      isTimecode: clock.isSmpte || root.attributes.get("timeBase") === "clock",
      clock
    },
    options,
    lines.some((line) => "why" in line)
      ? "expected a begin such as 00:00:01.500, 00:00:01:12 or 1.5s"
      : emptiness(root, outside.length, fault)
  )
}

/** A part of a TTML file in a document of its own. */
const wrapped = (part: XmlElement): XmlElement => {
  const around = {
    name: "body",
    namespace: part.namespace,
    attributes: new Map(),
    children: [part],
    line: part.line
  }
  return { ...around, name: "tt", children: [part.name === "body" ? part : around] }
}

const counted = (count: number, what: string): string => `${count} ${what}${count === 1 ? "" : "s"}`

const kindOf = ({ name, namespace }: XmlElement): string =>
  namespace === "http://www.w3.org/2001/XMLSchema"
    ? "an XML schema"
    : /^html$/iu.test(name)
      ? "a web page"
      : /^SAMI$/iu.test(name)
        ? "SAMI captions"
        : `<${name}>`

/** Why a TTML file has nothing to speak. */
const emptiness = (
  root: XmlElement,
  outside: number,
  fault: { readonly line: number; readonly message: string } | undefined
): string => {
  const hasImages =
    elementsNamed(root, "image").length > 0 ||
    [...elementsNamed(root, "div")].some(({ attributes }) => attributes.has("backgroundImage"))
  if (hasImages)
    return "the TTML file contains images, not text; convert them to SRT with OCR, for example with Subtitle Edit"
  if (fault !== undefined)
    return `no text to speak found; the XML is not well-formed at line ${fault.line}: ${fault.message}`
  if (outside > 0)
    return "no text is shown at any time: all paragraphs are outside the times of the elements around them"
  return "the TTML file has no text to speak; expected <p> elements with text in its <body>"
}
