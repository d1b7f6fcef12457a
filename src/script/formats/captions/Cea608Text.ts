/** The characters of CEA-608 captions (ANSI/CTA-608-E, section 5; https://en.wikipedia.org/wiki/EIA-608). */

/** Characters of one byte that differ from ASCII. */
const basic: Readonly<Record<number, string>> = {
  0x27: "’",
  0x2a: "á",
  0x5c: "é",
  0x5e: "í",
  0x5f: "ó",
  0x60: "ú",
  0x7b: "ç",
  0x7c: "÷",
  0x7d: "Ñ",
  0x7e: "ñ",
  0x7f: "█"
}

const special = "®°½¿™¢£♪à\u00a0èâêîôû"
const spanish = "ÁÉÓÚÜü‘¡*'—©℠•“”ÀÂÇÈÊËëÎÏïÔÙùÛ«»"
const german = "ÃãÍÌìÒòÕõ{}\\^_|~ÄäÖöß¥¤¦ÅåØø┌┐└┘"

/** Returns a character of one byte; empty for bytes that are not characters. */
export const basicCharacter = (byte: number): string =>
  byte < 0x20 ? "" : (basic[byte] ?? String.fromCharCode(byte))

/** Returns a special character, as the pair 0x11 0x30 to 0x3f. */
export const specialCharacter = (second: number): string => special[second - 0x30] ?? ""

/** Returns an extended character, as a pair 0x12 or 0x13, 0x20 to 0x3f. It replaces the character before it. */
export const extendedCharacter = (first: number, second: number): string =>
  (first === 0x12 ? spanish : german)[second - 0x20] ?? ""
