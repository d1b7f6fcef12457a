/** Names of letters in Vietnamese, and Roman numerals. */

const names = new Map(
  Object.entries({
    A: "a",
    Ă: "á",
    Â: "ớ",
    B: "bê",
    C: "xê",
    D: "đê",
    Đ: "đê",
    E: "e",
    Ê: "ê",
    F: "ép",
    G: "giê",
    H: "hát",
    I: "i",
    J: "giây",
    K: "ca",
    L: "e lờ",
    M: "em mờ",
    N: "en nờ",
    O: "ô",
    Ô: "ô",
    Ơ: "ơ",
    P: "pê",
    Q: "quy",
    R: "e rờ",
    S: "ét",
    T: "tê",
    U: "u",
    Ư: "ư",
    V: "vê",
    W: "vê kép",
    X: "ích",
    Y: "y",
    Z: "dét"
  })
)

/** Returns a letter's name; returns any other character unchanged. */
export const letterName = (letter: string): string => names.get(letter.toUpperCase()) ?? letter

/** Spells letters by their names. */
export const spelled = (letters: string): string => Array.from(letters, letterName).join(" ")

const values = new Map(Object.entries({ I: 1, V: 5, X: 10, L: 50, C: 100, D: 500, M: 1000 }))

/** Returns the value of a well-formed Roman numeral in capitals, else undefined. */
export const romanValue = (written: string): number | undefined => {
  if (!/^(?=.)M{0,3}(?:CM|CD|D?C{0,3})(?:XC|XL|L?X{0,3})(?:IX|IV|V?I{0,3})$/u.test(written)) return undefined
  let sum = 0
  for (let index = 0; index < written.length; index++) {
    const value = values.get(written.charAt(index)) ?? 0
    sum += value < (values.get(written.charAt(index + 1)) ?? 0) ? -value : value
  }
  return sum
}
