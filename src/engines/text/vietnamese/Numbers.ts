/** Numbers in Vietnamese words, in the northern form: "linh", "nghìn", and the changed forms of một, bốn and năm. */

const digits = ["không", "một", "hai", "ba", "bốn", "năm", "sáu", "bảy", "tám", "chín"] as const

/** Numbers with more digits are read digit by digit. */
const maxNumber = 15

/** Returns a digit's name. */
const digitName = (digit: string): string => digits[Number(digit)] ?? digit

/** Reads digits one by one: "007" is "không không bảy". */
export const digitByDigit = (written: string): string => Array.from(written, digitName).join(" ")

/** Reads a whole number of digits only. Reads numbers with a leading zero or over 15 digits digit by digit. */
export const integerWords = (written: string): string =>
  written.length > maxNumber || (written.length > 1 && written.startsWith("0"))
    ? digitByDigit(written)
    : large(written)

/** Reads a number's fraction, spoken after "phẩy": as a number if it has up to two digits, else digit by digit. */
const fraction = (written: string): string =>
  written.length <= 2 && !written.startsWith("0") ? integerWords(written) : digitByDigit(written)

/**
 * Reads a number as written in Vietnam or abroad: dots, commas or spaces between thousands, a comma or dot before a
 * fraction. A single mark with exactly three digits after it separates thousands.
 */
export const writtenNumber = (written: string): string => {
  const grouped = /^(\d{1,3}(?:([.,\s])\d{3})(?:\2\d{3})*)(?:[.,](\d+))?$/u.exec(written)
  if (grouped?.[1] !== undefined && !grouped[1].startsWith("0")) {
    const whole = integerWords(grouped[1].replace(/\D/gu, ""))
    return grouped[3] === undefined ? whole : `${whole} phẩy ${fraction(grouped[3])}`
  }
  return written
    .split(/([.,\s])/u)
    .map((part, index) => {
      if (part === ",") return "phẩy"
      if (part === ".") return "chấm"
      return index === 0 ? integerWords(part) : fraction(part)
    })
    .filter((part) => part.trim() !== "")
    .join(" ")
}

/** Reads from the left: the billions (recursively), then the part below a billion. */
const large = (written: string): string => {
  const plain = written.replace(/^0+(?=\d)/u, "")
  if (plain.length <= 9) return belowBillion(plain.padStart(9, "0"), false) || "không"
  const rest = belowBillion(plain.slice(-9), true)
  return `${large(plain.slice(0, -9))} tỷ${rest === "" ? "" : ` ${rest}`}`
}

/** Reads nine digits; empty if all are zero. `follows`: whether a larger part was read before. */
const belowBillion = (nine: string, follows: boolean): string => {
  const said: Array<string> = []
  for (const [at, name] of [
    [0, "triệu"],
    [3, "nghìn"],
    [6, ""]
  ] as const) {
    const three = nine.slice(at, at + 3)
    if (three === "000") continue
    const words = belowThousand(three, follows || said.length > 0)
    said.push(name === "" ? words : `${words} ${name}`)
  }
  return said.join(" ")
}

/** Reads three digits, not all zero. After a larger part, even zero hundreds are read: "không trăm linh năm". */
const belowThousand = (three: string, follows: boolean): string => {
  const [hundreds = "0", tens = "0", units = "0"] = three
  const said: Array<string> = []
  if (hundreds !== "0" || follows) said.push(`${digitName(hundreds)} trăm`)
  if (tens === "0") {
    if (units !== "0")
      said.push(said.length > 0 ? `linh ${units === "4" ? "tư" : digitName(units)}` : digitName(units))
    return said.join(" ")
  }
  said.push(tens === "1" ? "mười" : `${digitName(tens)} mươi`)
  if (units !== "0") said.push(unitAfterTens(units, tens))
  return said.join(" ")
}

/** Reads a unit after tens: 5 is "lăm"; from twenty on, 1 is "mốt" and 4 is "tư". */
const unitAfterTens = (unit: string, tens: string): string => {
  if (unit === "5") return "lăm"
  if (tens !== "1" && unit === "1") return "mốt"
  if (tens !== "1" && unit === "4") return "tư"
  return digitName(unit)
}
