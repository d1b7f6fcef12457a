/** Converts text to plain ASCII for Flite. */
import type { Token } from "../text/Token.ts"

/** Characters that map to something other than their base letter. */
const folds = new Map(
  Object.entries({
    "\u2018": "'",
    "\u2019": "'",
    "\u201a": "'",
    "\u201b": "'",
    "\u2032": "'",
    "\u201c": '"',
    "\u201d": '"',
    "\u201e": '"',
    "\u00ab": '"',
    "\u00bb": '"',
    "\u2013": ", ",
    "\u2014": ", ",
    "\u2015": ", ",
    "\u2010": "-",
    "\u2011": "-",
    "\u2026": "...",
    "\u00a1": "",
    "\u00bf": "",
    ß: "ss",
    æ: "ae",
    Æ: "Ae",
    œ: "oe",
    Œ: "Oe",
    ø: "o",
    Ø: "O",
    đ: "d",
    Đ: "D",
    ð: "th",
    þ: "th",
    ł: "l",
    Ł: "L",
    ı: "i",
    "€": " euros ",
    "£": " pounds ",
    "¥": " yen ",
    "°": " degrees ",
    "×": " times ",
    "÷": " divided by ",
    "±": " plus or minus ",
    "§": " section ",
    "©": " copyright ",
    "®": "",
    "™": "",
    "½": " one half",
    "¼": " one quarter",
    "¾": " three quarters"
  })
)

/** Converts a token for Flite. The result is silent if Flite cannot read any of it. */
export const forFlite = (token: Token): Token => {
  const ascii = unitsBehind(token.spoken)
    .replace(/[^\u0020-\u007e]/gu, (character) => folds.get(character) ?? character)
    .normalize("NFKD")
    .replace(/[^\u0020-\u007e]/gu, "")
    .replace(/[<>[\]{}()|\\^~`_]+/gu, " ")
    .replace(/--+/gu, ", ")
    .replace(/\s+/gu, " ")
    .replace(/ ([.,;:!?])/gu, "$1")
    .trim()
  return { ...token, spoken: /[A-Za-z0-9&%$+=@#]/u.test(ascii) ? ascii : "" }
}

/** Moves a currency sign after its number: "€5" is read as five euros. */
const unitsBehind = (spoken: string): string => spoken.replace(/([€£¥])(\d[\d.,]*\d|\d)/gu, "$2$1")
