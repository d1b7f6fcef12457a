/**
 * Keeps control characters of foreign text away from terminals. Subtitles, labels, voices and messages of a service
 * may hold escape sequences that move the cursor, change the window's title or type into the shell.
 */
import { stripVTControlCharacters } from "node:util"

/** A control character, except a line break and a tab. */
const controls = /(?!\r\n|[\n\t])\p{Cc}/gu
/** A colour or style of our own, or such a control character. */
const stylesAndControls = new RegExp(`(\\u001b\\[[0-9;]*m)|${controls.source}`, "gu")

/**
 * Writes control characters as JSON escapes such as `\u001b`, so that text shows them and JSON keeps them. Colours and
 * styles (SGR sequences) are harmless and remain.
 */
export const escapeControls = (text: string): string =>
  text.replaceAll(stylesAndControls, (found, style: string | undefined) => style ?? escaped(found))

/**
 * Like `escapeControls`, but also removes colours, styles and whole escape sequences. A sequence that only forms when
 * another one inside it is removed is escaped, too.
 */
export const unstyled = (text: string): string => stripVTControlCharacters(text).replaceAll(controls, escaped)

const escaped = (character: string): string =>
  `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, "0")}`
