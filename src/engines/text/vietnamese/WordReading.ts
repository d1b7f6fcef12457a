/** Reads a word's core in Vietnamese, given its neighbours: the first matching rule applies. */
import { readings } from "../Token.ts"
import { expanded } from "./Abbreviations.ts"
import { digitByDigit, integerWords, writtenNumber } from "./Numbers.ts"
import { isSyllable } from "./Syllable.ts"

/** The cores of the neighbouring words; empty at the text's start or end. */
export interface Neighbours {
  readonly before: string
  readonly twoBefore: string
  readonly after: string
  /** Whether the whole text is in capitals, so that capitals carry no information. */
  readonly shouted: boolean
}

type Rule = (core: string, around: Neighbours) => string | undefined

/** A word of a script without spaces between words: a text may have very many, and no rule reads one. */
const unspaced =
  /^[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]+$/u

/** Returns the core in words. `dot`: whether a dot follows it. */
export const readCore = (core: string, dot: boolean, around: Neighbours): string => {
  if (unspaced.test(core)) return core
  const full = expanded(core, dot)
  if (full !== undefined) return full
  const opening = /^([\p{L}&]{1,5})\.(.+)$/u.exec(core)
  const head = opening?.[1] === undefined ? undefined : expanded(opening[1], true)
  if (head !== undefined) return `${head} ${readCore(opening?.[2] ?? "", dot, around)}`
  for (const rule of rules) {
    const read = rule(core, around)
    if (read !== undefined) return read
  }
  return core
}

const numeral = String.raw`\d+(?:[.,\s\u00a0\u202f\u2009]\d+)*`
const numeralOnly = new RegExp(`^${numeral}$`, "u")
const amountOfMoney = new RegExp(`^(US\\$|[$€£¥₫])(${numeral})(k|K|tr|M)?$`, "u")
const numeralWithUnit = new RegExp(`^(${numeral})(\\D.*)$`, "u")

const telephone: Rule = (core) => {
  const digits = core.replace(/\D/gu, "")
  if (!/^\(?(?:0|\+84)[\d\s().-]{7,}$/u.test(core) || digits.length < 9 || digits.length > 12)
    return undefined
  const groups = core.match(/\d+/gu) ?? []
  const apart = groups.length > 1 ? groups : [digits.slice(0, -6), digits.slice(-6, -3), digits.slice(-3)]
  return `${core.startsWith("+") ? "cộng " : ""}${apart.map(digitByDigit).join(", ")}`
}

/** "thứ 4", "tháng 4" and "thứ 1" are irregular. */
const ordinal: Rule = (core, { before }) => {
  const word = before.toLowerCase()
  if (core === "4" && (word === "tháng" || word === "thứ")) return "tư"
  return core === "1" && word === "thứ" ? "nhất" : undefined
}

const plainNumber: Rule = (core) =>
  numeralOnly.test(core) ? writtenNumber(core.replace(/\s/gu, " ")) : undefined

/** "$5", "US$ 5", "$5 triệu": the currency is read after the number, or after the magnitude that follows. */
const money: Rule = (core, { after }) => {
  const found = amountOfMoney.exec(core)
  if (found === null) return undefined
  const [, sign = "", amount = "", short = ""] = found
  const counted = [writtenNumber(amount), unitName(short)].filter((part) => part !== undefined).join(" ")
  return isMagnitude(after) ? counted : `${counted} ${currencyName(sign) ?? ""}`
}

/** A magnitude with the currency of the number before it: "$5 triệu". */
const magnitude: Rule = (core, { before }) => {
  const sign = /^(?:US\$|[$€£¥₫])(?=\d)/u.exec(before)?.[0]
  return sign !== undefined && isMagnitude(core) ? `${core} ${currencyName(sign) ?? ""}` : undefined
}

const measure: Rule = (core) => {
  if (/^[248][kK]$/u.test(core)) return `${integerWords(core.charAt(0))} ca`
  const height = /^(\d+)m(\d{1,2})$/u.exec(core)
  if (height !== null) return `${integerWords(height[1] ?? "")} mét ${integerWords(height[2] ?? "")}`
  const found = numeralWithUnit.exec(core)
  const unit = unitName(found?.[2] ?? "")
  return found === null || unit === undefined ? undefined : `${writtenNumber(found[1] ?? "")} ${unit}`
}

/** A unit separated from its number: "5 km", "3 triệu USD". */
const unitApart: Rule = (core, { before, twoBefore }) => {
  const counted = /\d$/u.test(before) || (isMagnitude(before) && /\d$/u.test(twoBefore) && core.length > 1)
  if (!counted) return undefined
  const unit = unitName(core)
  if (unit !== undefined) return unit
  // "5 đồng/kg": the word stays, only the unit is written out.
  const quotient = /^(\p{L}+)\/(\p{L}+[23²³]?)$/u.exec(core)
  const per = unitName(quotient?.[2] ?? "")
  return quotient === null || per === undefined ? undefined : `${quotient[1] ?? ""} trên ${per}`
}

/** "10-15km", "8h-17h", "2019–2024". A score ("2-1") is read without "đến"; a code of several parts digit by digit. */
const range: Rule = (core, around) => {
  const [left = "", right = "", ...more] = core.split(/[-–—~]/u)
  if (!/^[$€£₫]?\d/u.test(left) || !/^[$€£₫]?\d/u.test(right)) return undefined
  if (more.length > 0) return undefined
  const score = /^(?:số|thắng|thua|hòa|hoà|tỉ|tỷ|dẫn|với)$/u.test(around.before.toLowerCase())
  const falling = /^\d+$/u.test(left) && /^\d+$/u.test(right) && Number(left) >= Number(right)
  return `${readCore(left, false, around)}${score || falling ? " " : " đến "}${readCore(right, false, around)}`
}

const product: Rule = (core) => {
  const found = /^(\d+(?:[.,]\d+)?)[x×*](\d+(?:[.,]\d+)?)$/u.exec(core)
  return found === null ? undefined : `${writtenNumber(found[1] ?? "")} nhân ${writtenNumber(found[2] ?? "")}`
}

const ratio: Rule = (core) => {
  const found = /^(\d+):(\d+)$/u.exec(core)
  return found === null ? undefined : `${integerWords(found[1] ?? "")} trên ${integerWords(found[2] ?? "")}`
}

/** Words after which capitals such as XXI or II are a Roman numeral. */
const numbered =
  /^(?:kỷ|kỉ|chương|phần|tập|quyển|khóa|khoá|kỳ|kì|thứ|hội|hồi|mục|bài|quý|điều|chiến|cấp|loại|hạng|giai|đoạn|vòng|tiết|nhóm|lần)$/u

const roman: Rule = (core, { before, shouted }) => {
  const value = romanValue(core)
  if (value === undefined) return undefined
  const named = !shouted && /^\p{Lu}\p{Ll}/u.test(before) && /^[IVX]{2,}$/u.test(core)
  return numbered.test(before.toLowerCase()) || named ? integerWords(String(value)) : undefined
}

const address: Rule = (core) => {
  if (
    !/^(?:https?:\/\/|www\.)|^[\w.+-]+@[\w-]+\.[\w.-]+$|^[\w-]+(?:\.[\w-]+)*\.(?:com|vn|net|org|edu|gov|io)(?:\/|$)/iu.test(
      core
    )
  )
    return undefined
  return core
    .replace(/^https?:\/\//iu, "")
    .split(/([^\p{L}]|\d+)/u)
    .map((part) => addressSigns.get(part) ?? (/^\d+$/u.test(part) ? integerWords(part) : letters(part)))
    .filter((part) => part !== "")
    .join(" ")
}

const addressSigns = readings(`
  . = chấm; / = gạch chéo; @ = a còng; - = gạch ngang; _ = gạch dưới; : = hai chấm
`)

const signs = readings(`
  & = và; + = cộng; = = bằng; % = phần trăm; @ = a còng; # = thăng; ~ = khoảng; × = nhân; ÷ = chia;
  ± = cộng trừ; < = nhỏ hơn; > = lớn hơn; ° = độ; § = mục; $ = đô la; € = ơ rô; £ = bảng Anh; ¥ = yên;
  ₫ = đồng; ² = bình phương; ³ = lập phương; ^ = mũ
`)

const initials: Rule = (core) =>
  /^\p{Lu}{2,6}$/u.test(core) || /^\p{L}$/u.test(core) ? letters(core) : undefined

/** Digits, letters and signs in one word: "COVID-19", "5G", "R&D". */
const mixed: Rule = (core) =>
  /[\p{Nd}&+=%@#~^×÷±<>°§$€£¥₫²³]/u.test(core)
    ? (core.match(/\d+(?:[.,]\d+)*|\p{L}[\p{L}\p{M}]*(?:['’-]\p{L}[\p{L}\p{M}]*)*|./gsu) ?? [])
        .map((part) =>
          /^\d/u.test(part)
            ? writtenNumber(part)
            : /^\p{L}/u.test(part)
              ? letters(part)
              : (signs.get(part) ?? "")
        )
        .filter((part) => part !== "")
        .join(" ")
    : undefined

/** Reads letters as a word if pronounceable; spells them otherwise. */
const letters = (run: string): string => {
  const known = expanded(run, false)
  if (known !== undefined) return known
  if (/^\p{L}$/u.test(run))
    return /[aeiouyăâêôơư]/iu.test(run.normalize("NFD").charAt(0)) ? run : letterName(run)
  const capitals = /^\p{Lu}{2,6}$/u.test(run)
  const sayable = /[aeiouyăâêôơư]/iu.test(run.normalize("NFC"))
  if (/^\p{L}{2,6}$/u.test(run) && !/[^\p{Script=Latin}]/u.test(run)) {
    if (!sayable && !/\p{M}/u.test(run.normalize("NFD"))) return spelled(run)
    if (capitals && run.length <= 3 && !isSyllable(run, true)) return spelled(run)
  }
  return run
}

const names = readings(`
  A = a; Ă = á; Â = ớ; B = bê; C = xê; D Đ = đê; E = e; Ê = ê; F = ép; G = giê; H = hát; I = i; J = giây;
  K = ca; L = e lờ; M = em mờ; N = en nờ; O Ô = ô; Ơ = ơ; P = pê; Q = quy; R = e rờ; S = ét; T = tê; U = u;
  Ư = ư; V = vê; W = vê kép; X = ích; Y = y; Z = dét
`)

/** Returns a letter's name; returns any other character unchanged. */
const letterName = (letter: string): string => names.get(letter.toUpperCase()) ?? letter

/** Spells letters by their names. */
const spelled = (letters: string): string => Array.from(letters, letterName).join(" ")

const values = new Map(Object.entries({ I: 1, V: 5, X: 10, L: 50, C: 100, D: 500, M: 1000 }))

/** Returns the value of a well-formed Roman numeral in capitals, else undefined. */
const romanValue = (written: string): number | undefined => {
  if (!/^(?=.)M{0,3}(?:CM|CD|D?C{0,3})(?:XC|XL|L?X{0,3})(?:IX|IV|V?I{0,3})$/u.test(written)) return undefined
  let sum = 0
  for (let index = 0; index < written.length; index++) {
    const value = values.get(written.charAt(index)) ?? 0
    sum += value < (values.get(written.charAt(index + 1)) ?? 0) ? -value : value
  }
  return sum
}

/** Words after which "day/month" is a date. */
const datedBy =
  /^(?:ngày|hôm|sáng|trưa|chiều|tối|đêm|mùng|mồng|rằm|lễ|dịp|mừng|nghỉ|hai|tư|sáu|bảy|nhật|từ|vào)$/u

/** A date in any common notation, or a fraction such as 3/4. */
const date: Rule = (core, around) => {
  const before = around.before.toLowerCase()
  const day = before === "ngày" || before === "mùng" || before === "mồng" ? "" : "ngày "
  const full = /^(\d{1,2})([/.-])(\d{1,2})\2(\d{4}|\d{2})$/u.exec(core)
  // With dots or dashes and a two-digit year it is a version or a code, not a date.
  if (full !== null && (full[2] === "/" || full[4]?.length === 4) && isDate(full[1], full[3]))
    return dated(day, full[1], full[3], full[4])
  const iso = /^(\d{4})[-/](\d{1,2})[-/](\d{1,2})$/u.exec(core)
  if (iso !== null && isDate(iso[3], iso[2])) return dated(day, iso[3], iso[2], iso[1])
  const month = /^(\d{1,2})[/-](\d{4})$/u.exec(core)
  if (month !== null && isDate("1", month[1]))
    return `${before === "tháng" ? "" : "tháng "}${monthName(month[1])} năm ${number(month[2])}`
  const pair = /^(\d{1,4})\/(\d{1,4})$/u.exec(core)
  if (pair === null) return undefined
  const [, left = "", right = ""] = pair
  const roundTheClock = core === "24/7" && !datedBy.test(before)
  if (!roundTheClock && isDate(left, right) && (datedBy.test(before) || Number(left) >= Number(right)))
    return `${number(left)} tháng ${monthName(right)}`
  if (Number(left) < Number(right))
    return `${number(left)} phần ${Number(right) === 4 ? "tư" : number(right)}`
  return `${number(left)} trên ${number(right)}`
}

/** A time of day: 10:30, 10h30, 10g30, 8h, 10:30:15. */
const time: Rule = (core) => {
  const clock = /^(\d{1,2}):(\d{2})(?::(\d{2}))?$/u.exec(core)
  if (clock !== null && isTime(clock[1], clock[2], clock[3])) return timed(clock[1], clock[2], clock[3])
  const short = /^(\d{1,2})(?:[hH](\d{2})?|g(\d{2}))(?:['’]|p|ph|phút)?$/u.exec(core)
  const minutes = short?.[2] ?? short?.[3]
  if (short !== null && isTime(short[1], minutes, undefined)) return timed(short[1], minutes, undefined)
  return undefined
}

type Digits = string | undefined

const number = (written: Digits): string => integerWords(String(Number(written)))

const monthName = (month: Digits): string => (Number(month) === 4 ? "tư" : number(month))

const dated = (day: string, date: Digits, month: Digits, year: Digits): string =>
  `${day}${number(date)} tháng ${monthName(month)} năm ${number(year)}`

const isDate = (day: Digits, month: Digits): boolean =>
  Number(day) >= 1 && Number(day) <= 31 && Number(month) >= 1 && Number(month) <= 12

const isTime = (hours: Digits, minutes: Digits, seconds: Digits): boolean =>
  Number(hours) <= 24 && Number(minutes ?? 0) < 60 && Number(seconds ?? 0) < 60

const timed = (hours: Digits, minutes: Digits, seconds: Digits): string => {
  const said = [`${number(hours)} giờ`]
  if (seconds !== undefined) said.push(`${number(minutes)} phút ${number(seconds)} giây`)
  else if (Number(minutes ?? 0) > 0) said.push(number(minutes))
  return said.join(" ")
}

const units = readings(`
  % = phần trăm; ‰ = phần nghìn; km = ki lô mét; m = mét; dm = đề xi mét; cm = xen ti mét; mm = mi li mét;
  nm = na nô mét; µm = mi crô mét; km2 = ki lô mét vuông; m2 = mét vuông; cm2 = xen ti mét vuông;
  m3 = mét khối; cm3 = xen ti mét khối; ha = héc ta; kg = ki lô gam; g gr = gam; mg = mi li gam;
  l L lít = lít; ml mL = mi li lít; h = giờ; p ph phút = phút; s = giây; ms = mi li giây; ° = độ;
  °C ℃ = độ xê; °F = độ ép; Hz = héc; kHz = ki lô héc; MHz = mê ga héc; GHz = gi ga héc; kW = ki lô oát;
  MW = mê ga oát; kWh = ki lô oát giờ; mAh = mi li am pe giờ; Pa = pát can; dB = đề xi ben; cal = ca lo;
  kcal = ki lô ca lo; KB kB = ki lô bai; MB = mê ga bai; GB = gi ga bai; TB = tê ra bai;
  Mbps = mê ga bít trên giây; px = pích xeo; inch " = inh; ft = phít; mph = dặm trên giờ;
  đ Đ ₫ đồng VND VNĐ vnđ = đồng; $ = đô la; USD = đô la Mỹ; € EUR = ơ rô; £ GBP = bảng Anh; ¥ JPY = yên;
  k K = nghìn; tr triệu M = triệu; tỷ tỉ = tỷ; x = lần
`)

/** Returns the name of a unit after a number, also of powers and quotients ("km²", "km/h", "đ/kg"), else undefined. */
const unitName = (written: string): string | undefined => {
  const plain = written.replace(/²/gu, "2").replace(/³/gu, "3").replace(/º/gu, "°")
  const known = units.get(plain)
  if (known !== undefined) return known
  const [numerator = "", denominator = "", ...more] = plain.split("/")
  const above = units.get(numerator)
  const below = units.get(denominator)
  return above === undefined || below === undefined || more.length > 0 ? undefined : `${above} trên ${below}`
}

/** Returns the name of a currency sign before a number. */
const currencyName = (sign: string): string | undefined =>
  /^(?:US\$|[$€£¥₫])$/u.test(sign) ? units.get(sign.slice(-1)) : undefined

/** Whether a word is a magnitude that multiplies the number before it, as in "5 triệu" (5 million). */
const isMagnitude = (word: string): boolean => /^(?:trăm|nghìn|ngàn|vạn|triệu|tỷ|tỉ)$/u.test(word)

/** The rules; the first that matches reads the word. */
const rules: ReadonlyArray<Rule> = [
  telephone,
  ordinal,
  date,
  time,
  plainNumber,
  money,
  magnitude,
  measure,
  unitApart,
  range,
  product,
  ratio,
  roman,
  address,
  initials,
  mixed
]
