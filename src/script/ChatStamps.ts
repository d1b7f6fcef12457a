/** The dates and times before the messages of a chat, as messengers write them where a chat is exported. */

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
