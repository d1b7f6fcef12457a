/** Dates and times before what is said: of an exported chat's messages, of a transcript's lines. */

const date = "\\d{1,4}[./-]\\d{1,2}[./-]\\d{1,4}"
const clock = "\\d{1,2}[:.]\\d{2}(?:[:.]\\d{2})?(?:\\s?[AaPp]\\.?\\s?[Mm]\\.?)?"
const stamp = new RegExp(
  `^[\\u200e\\u200f]*(?:\\[${date},? ${clock}\\] ?|${date},? ${clock} [-–] )(?=\\S)`,
  "u"
)

/** Fewer messages than these are no chat. */
const fewest = 2

/** Whether these are the lines of a chat. */
export const isChat = (lines: ReadonlyArray<string>): boolean =>
  lines.filter((line) => stamp.test(line)).length >= fewest

/** A time alone, or before words, as players show a transcript beside a video. */
const time = /^\(?(?:(\d{1,2}):)?(\d{1,2}):(\d{2})\)?(?=\s|$)\s*/u

/** Whether these are the lines of a transcript, with times that rise from line to line; a timetable begins later. */
export const isClocked = (lines: ReadonlyArray<string>): boolean => {
  const times = lines.flatMap((line) => {
    const found = time.exec(line)
    return found === null ? [] : [Number(found[1] ?? 0) * 3600 + Number(found[2]) * 60 + Number(found[3])]
  })
  return (
    times.length >= fewestTimes &&
    (times[0] ?? 0) <= latestFirst &&
    times.length * 3 >= lines.filter((line) => line.trim() !== "").length &&
    times.every((at, i) => i === 0 || at >= (times[i - 1] ?? 0))
  )
}

/** Fewer times than these may be words of the text. */
const fewestTimes = 3

/** In seconds: where the first time is later, times are what is said. */
const latestFirst = 60

/** Lines without their times, and without those on which nothing else stands. */
export const withoutClocks = (lines: ReadonlyArray<string>): ReadonlyArray<string> =>
  lines.map((line) => line.replace(time, "")).filter((line) => line.trim() !== "")

/** The messages in lines that follow each other, each by its lines; what stands before the first is one too. */
export const messagesOf = (lines: ReadonlyArray<string>): ReadonlyArray<ReadonlyArray<string>> => {
  const messages: Array<Array<string>> = []
  for (const line of lines) {
    const open = messages.at(-1)
    if (open === undefined || stamp.test(line)) messages.push([line.replace(stamp, "")])
    else open.push(line)
  }
  return messages
}
