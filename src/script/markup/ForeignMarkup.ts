/** Markup that subtitles do not have, left by other programs: BBCode, links, escapes, code fences of a chat. */
import { type Cue, noticeAt, type Notice } from "../../domain/speech/Cue.ts"
import { excerpt } from "./CueLines.ts"

/** Removes markup of forums, pages and programs from a cue's text, and resolves their escapes. */
export const withoutForeignMarkup = (raw: string): string => {
  if (!/[[\\%=`/⟦>＞]|## |&lt;|www\./u.test(raw)) return raw
  let text = decodedEscapes(raw).replace(/&(?:amp;)*lt;(\s*\/?\s*br\b[^&<>]{0,5})&(?:amp;)*gt;/giu, "<$1>")
  for (let depth = 0; depth < 3; depth++) text = text.replace(pairedTags, "$2")
  return (
    text
      .replace(/\[img\][^\][]*\[\/img\]/giu, "")
      .replace(loneTags, "")
      .replace(
        /!?\[([^\][\n]{1,160})\](?:\((?:https?:|www\.|\/|#)(?:[^()\s]|\([^()\s]*\))*\)|\[\d{1,2}\])/giu,
        "$1"
      )
      .replace(/<<(\/?[a-z]{1,4})>>|＜(\/?[a-z]{1,4})＞/giu, "<$1$2>")
      .replace(/<<([^<>\n]{1,160})>>/gu, "«$1»")
      .replace(/(?<![\p{L}\p{N}<>/] ?)[ibu]>(?=[^\n]*<\/)|^[ \t]*(?:#{2,6}|>)[ \t]+(?=\p{L})/gimu, "")
      .replace(/`([^`\n]+)`/gu, "$1")
      .replace(/⟦[^⟦⟧\n]{0,20}⟧/gu, "")
      .replace(/^[ \t]*<?(?:https?:\/\/|www\.)[^\s<>]+>?[ \t]*$/gimu, "")
      .replace(/<[ /]*br[ /]*(?:>|\/(?=\S))|(?<![\p{L}<])br[ ]*\/[ ]*>/giu, "\n")
      // The rest of a `<br />` that has lost its beginning.
      .replace(/<[^<>\n]*|(?<![ \t])[ \t]*\/ ?>/gu, (found) => (found.startsWith("<") ? found : "\n"))
  )
}

const names = "b|i|u|s|color|size|font|url|center|left|right|code|quote|spoiler|sup|sub|strike"
const pairedTags = new RegExp(`\\[(${names})(?:=[^\\]\\n]*)?\\]([^]*?)\\[/\\1\\]`, "giu")
const loneTags = new RegExp(`\\[/(?:${names})\\]|\\[(?:[biu]|hr|\\*|(?:${names})=[^\\]\\n]*)\\]`, "giu")

/** Resolves escapes of JSON, programs and addresses: `\u0130`, `\xe9`, `%C3%A9`. */
const decodedEscapes = (text: string): string =>
  text
    .replace(/\\U000([\da-f]{5})/giu, "\\u{$1}")
    .replace(
      /(?:\\{1,2}|%)u(?:\{([\da-f]{1,6})\}|([\da-f]{4}))/giu,
      (written, point?: string, unit?: string) => {
        const code = Number.parseInt(point ?? unit ?? "", 16)
        return code > 0x10ffff
          ? written
          : unit === undefined
            ? String.fromCodePoint(code)
            : String.fromCharCode(code)
      }
    )
    .replace(/(?:\\x[\da-f]{2}|\\[23][0-7]{2})+/giu, (written) => {
      const bytes = Uint8Array.from(written.slice(1).split("\\"), (byte) =>
        Number(`0${byte.replace(/^\d/u, "o$&")}`)
      )
      const utf8 = new TextDecoder().decode(bytes)
      return utf8.includes("\ufffd") ? new TextDecoder("windows-1252").decode(bytes) : utf8
    })
    .replace(/(?<=\p{L})\\'(?=\p{L})/gu, "'")
    .replace(/\\"([^"\\\n]*)\\"/gu, '"$1"')
    .replace(/\\r(?=\\n)/gu, "")
    .replace(/(?:[%=][C-F][\dA-F](?:[%=][89AB][\dA-F]){1,3}(?:%20)*)+/giu, (written) => {
      try {
        return decodeURIComponent(written.replaceAll("=", "%"))
      } catch {
        return written
      }
    })

/**
 * Blanks the code fences of a chat and the sentences around them, so that no line number changes. Returns the text and
 * the lines with words that were taken out.
 */
export const withoutFences = (
  text: string
): { readonly text: string; readonly notices: ReadonlyArray<Notice> } => {
  const lines = text.split("\n")
  const fences = lines.filter((line) => fence.test(line)).length
  if (fences === 0) return { text, notices: [] }
  let isInside = fences === 1
  const notices: Array<Notice> = []
  const kept = lines.map((line, at) => {
    if (fence.test(line)) {
      isInside = fences === 1 || !isInside
      return ""
    }
    if (!isInside && line.trim() !== "")
      notices.push(noticeAt(at + 1, `skipped a sentence outside the code fence: "${excerpt(line)}"`))
    return isInside ? line : ""
  })
  return { text: kept.join("\n"), notices }
}

const fence = /^\s*(?:`{3,}|~{3,})\w*\s*$/u

/** Reports cues that look like adverts of subtitle sites, or like a chat's remarks: they would be spoken. */
export const remarksIn = (cues: ReadonlyArray<Cue>): ReadonlyArray<Notice> => {
  const broken = cues.filter(({ text }) => /\n\s*\n/u.test(text))
  return cues.flatMap((cue, at) => {
    const { index, line, text } = cue
    const [isEarly, isLate] = [at < 3, at >= cues.length - 3]
    const what =
      advert.test(text) || ((isEarly || isLate) && credit.test(text))
        ? "an advert"
        : (chat.test(text) && (isEarly || isLate)) ||
            (at > 0 && at === cues.length - 1 && broken.length === 1 && broken[0] === cue)
          ? "a chat's remark"
          : undefined
    return what === undefined
      ? []
      : [
          noticeAt(
            line,
            `cue ${index} looks like ${what}: "${excerpt(text)}"; delete it if it is not to be spoken`
          )
        ]
  })
}

/** Reports letters that an earlier conversion has destroyed: U+FFFD, question marks in several words, UTF-7. */
export const destroyedIn = (cues: ReadonlyArray<Cue>): ReadonlyArray<Notice> =>
  [/(\ufffd)/u, /(?<=\p{Ll})(\?)(?=\p{Ll})/u, /(\+A[\dA-Za-z]{2,}-)/u].flatMap((sign, kind) => {
    const broken = cues.filter(({ text }) => sign.test(text))
    const [first] = broken.length > 2 || kind === 0 ? broken : []
    const what = broken.length === 1 ? "cue contains" : "cues contain"
    const found = sign.exec(first?.text ?? "")?.[1] ?? ""
    return first === undefined
      ? []
      : [
          noticeAt(
            first.line,
            `${broken.length} ${what} letters destroyed by an earlier conversion (${found})`
          )
        ]
  })

/** A site's name alone may be on a sign in the film. */
const advert =
  /(?:https?:\/\/|\swww\.)\S|\b(?:advertise your product|downloaded from|subtitles? (?:downloaded|by)|support us and become|open ?subtitles|opensubs|yts\.\w+|yify|addic7ed|podnapisi|subscene|amara\.org|rarbg|discord\.gg|t\.me\/\w+)\b/iu

/** Who made or translated a subtitle, at its beginning or end. */
const credit =
  /^[^\p{L}]*(?:(?:re)?synch?(?:ed|ro\w*)?\b.*\bby\b|(?:corrected|translated|subtitled|captioned|encoded|ripped|rip|transcribed)\b.{0,20}\bby\b|(?:subtitles|captions|translation|traduction|traducción|traduzione|tradução|legendas|subtítulos|sottotitoli|sous-titr\p{L}+|untertitel\p{L}*|übersetzung|napisy|tłumaczenie|titulky|překlad|субтитры|перевод|çeviri)(?=[ :])[ :]+\S|字幕|翻[译譯][：:]|please subscribe)/iu

const chat =
  /^(?:sure|certainly|of course)[,!:. ].*\b(?:here|translat)|^here (?:is|are|'s) (?:the|your|a)\b.*\b(?:translat|subtitle|srt|continu)|\blet me know if\b|\bwould you like me to\b|\bi hope this helps\b|\bas an ai\b/imu
