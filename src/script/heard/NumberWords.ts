/** Reads numbers written in digits as words, so that "1984" can be compared with "nineteen eighty-four". */
import { toCardinal as cs } from "n2words/cs-CZ"
import { toCardinal as da } from "n2words/da-DK"
import { toCardinal as de } from "n2words/de-DE"
import { toCardinal as el } from "n2words/el-GR"
import { toCardinal as en } from "n2words/en-US"
import { toCardinal as es } from "n2words/es-ES"
import { toCardinal as fi } from "n2words/fi-FI"
import { toCardinal as fr } from "n2words/fr-FR"
import { toCardinal as hi } from "n2words/hi-IN"
import { toCardinal as hu } from "n2words/hu-HU"
import { toCardinal as id } from "n2words/id-ID"
import { toCardinal as it } from "n2words/it-IT"
import { toCardinal as ja } from "n2words/ja-JP"
import { toCardinal as ko } from "n2words/ko-KR"
import { toCardinal as nb } from "n2words/nb-NO"
import { toCardinal as nl } from "n2words/nl-NL"
import { toCardinal as pl } from "n2words/pl-PL"
import { toCardinal as pt } from "n2words/pt-PT"
import { toCardinal as ro } from "n2words/ro-RO"
import { toCardinal as ru } from "n2words/ru-RU"
import { toCardinal as sv } from "n2words/sv-SE"
import { toCardinal as th } from "n2words/th-TH"
import { toCardinal as tr } from "n2words/tr-TR"
import { toCardinal as uk } from "n2words/uk-UA"
import { toCardinal as vi } from "n2words/vi-VN"
import { toCardinal as zh } from "n2words/zh-Hans-CN"

type Reader = (value: string) => string

const readers: Readonly<Record<string, Reader>> = {
  ...{
    cs,
    da,
    de,
    el,
    en,
    es,
    fi,
    fr,
    hi,
    hu,
    id,
    it,
    ja,
    ko,
    nb,
    nl,
    no: nb,
    pl,
    pt,
    ro,
    ru,
    sv,
    th,
    tr,
    uk,
    vi
  },
  zh: (value) => zh(value, { formal: false })
}

/** Longer numbers are read digit by digit only. */
const mostDigits = 12

/**
 * Returns the ways to read digits with an optional decimal part after a dot. They are read as a cardinal, as a year or
 * in pairs (1984: nineteen eighty-four), and digit by digit. Without a reader for the language, returns the digits.
 */
export const numberReadings = (digits: string, language: string): ReadonlyArray<string> => {
  const read = readers[language]
  if (read === undefined) return [digits]
  const spelled = Array.from(digits.replace(/\D/gu, ""), (digit) => read(digit)).join(" ")
  if (digits.length > mostDigits || !/^\d+(?:\.\d+)?$/u.test(digits)) return [spelled]
  const pairs = /^(\d\d)(\d\d)$/u.exec(digits)
  const [first = "", second = ""] = pairs?.slice(1) ?? []
  return [
    read(digits),
    ...(pairs === null || first === "00"
      ? []
      : language === "de"
        ? [`${read(first)}hundert${Number(second) === 0 ? "" : read(second)}`]
        : [
            Number(second) === 0 && language === "en"
              ? `${read(first)} hundred`
              : `${read(first)} ${read(second)}`,
            `${read(first)} oh ${read(second)}`
          ]),
    ...(digits.length > 1 ? [spelled] : [])
  ]
}
