/** Decodes HTML character references, which subtitle tools leave in files. */

/** Resolves character references, including double-escaped ones such as `&amp;lt;`. */
export const decodeEntities = (text: string): string =>
  text.includes("&")
    ? text.replace(
        /&(?:amp;)*(?:#(\d{1,7})|#[xX]([0-9a-fA-F]{1,6})|([a-zA-Z]{2,8}\d?));/gu,
        (whole, decimal, hex, name) =>
          decimal !== undefined
            ? fromCode(Number(decimal), whole)
            : hex !== undefined
              ? fromCode(Number.parseInt(hex, 16), whole)
              : (named[name] ?? accented(name) ?? whole)
      )
    : text

const fromCode = (code: number, otherwise: string): string =>
  code > 0 && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff) ? String.fromCodePoint(code) : otherwise

/** Names and their characters in turn. */
const characters =
  "amp & lt < gt > quot \" apos ' hellip … ndash – mdash — lsquo ‘ rsquo ’ sbquo ‚ ldquo “ " +
  "rdquo ” bdquo „ laquo « raquo » iexcl ¡ iquest ¿ middot · bull • copy © reg ® trade ™ deg ° " +
  "euro € pound £ yen ¥ cent ¢ sect § times × divide ÷ plusmn ± frac12 ½ frac14 ¼ frac34 ¾ " +
  "szlig ß aelig æ AElig Æ oelig œ OElig Œ oslash ø Oslash Ø eth ð thorn þ sung ♪ " +
  "rarr → rArr ⇒ minus − nbsp \u00a0 zwj \u200d zwnj \u200c"

const named: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    Array.from(characters.matchAll(/(\w+) (.)/gu), ([, name = "", sign = ""]) => [name, sign])
  ),
  lrm: "",
  rlm: "",
  shy: ""
}

/** Names of accents, in the order of their combining characters. */
const accents = "acute grave circ uml tilde cedil ring caron".split(" ")
const marks = "\u0301\u0300\u0302\u0308\u0303\u0327\u030a\u030c"

/** Resolves names such as `eacute` and `Ntilde`: a letter followed by the name of its accent. */
const accented = (name: string): string | undefined => {
  const accent = accents.indexOf(name.slice(1))
  return accent < 0 ? undefined : `${name.charAt(0)}${marks.charAt(accent)}`.normalize("NFC")
}
