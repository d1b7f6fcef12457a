/** Reads dates, times of day and fractions in Vietnamese. */
import { integerWords } from "./Numbers.ts"

/** Words after which "day/month" is a date. */
const datedBy =
  /^(?:ngày|hôm|sáng|trưa|chiều|tối|đêm|mùng|mồng|rằm|lễ|dịp|mừng|nghỉ|hai|tư|sáu|bảy|nhật|từ|vào)$/u

/** Reads a date in any common notation, or a fraction such as 3/4. `before` is the previous word in lower case. */
export const dateOrShare = (core: string, before: string): string | undefined => {
  const day = before === "ngày" || before === "mùng" || before === "mồng" ? "" : "ngày "
  const full = /^(\d{1,2})([/.-])(\d{1,2})\2(\d{4}|\d{2})$/u.exec(core)
  // With dots or dashes and a two-digit year it is a version or a code, not a date.
  if (full !== null && (full[2] === "/" || full[4]?.length === 4) && isDate(full[1], full[3]))
    return dated(day, full[1], full[3], full[4])
  const iso = /^(\d{4})[-/](\d{1,2})[-/](\d{1,2})$/u.exec(core)
  if (iso !== null && isDate(iso[3], iso[2])) return dated(day, iso[3], iso[2], iso[1])
  const month = /^(\d{1,2})[/-](\d{4})$/u.exec(core)
  if (month !== null && isDate("1", month[1])) {
    return `${before === "tháng" ? "" : "tháng "}${monthName(month[1])} năm ${number(month[2])}`
  }
  const pair = /^(\d{1,4})\/(\d{1,4})$/u.exec(core)
  if (pair === null) return undefined
  const [, left = "", right = ""] = pair
  const roundTheClock = core === "24/7" && !datedBy.test(before)
  if (!roundTheClock && isDate(left, right) && (datedBy.test(before) || Number(left) >= Number(right))) {
    return `${number(left)} tháng ${monthName(right)}`
  }
  if (Number(left) < Number(right))
    return `${number(left)} phần ${Number(right) === 4 ? "tư" : number(right)}`
  return `${number(left)} trên ${number(right)}`
}

/** Reads a time of day: 10:30, 10h30, 10g30, 8h, 10:30:15. */
export const timeOfDayWords = (core: string): string | undefined => {
  const clock = /^(\d{1,2}):(\d{2})(?::(\d{2}))?$/u.exec(core)
  if (clock !== null && isTime(clock[1], clock[2], clock[3])) return timed(clock[1], clock[2], clock[3])
  const short = /^(\d{1,2})(?:[hH](\d{2})?|g(\d{2}))(?:['’]|p|ph|phút)?$/u.exec(core)
  const minutes = short?.[2] ?? short?.[3]
  if (short !== null && isTime(short[1], minutes, undefined)) return timed(short[1], minutes, undefined)
  return undefined
}

const number = (written: string | undefined): string => integerWords(String(Number(written)))

const monthName = (month: string | undefined): string => (Number(month) === 4 ? "tư" : number(month))

const dated = (
  day: string,
  date: string | undefined,
  month: string | undefined,
  year: string | undefined
): string => `${day}${number(date)} tháng ${monthName(month)} năm ${number(year)}`

const isDate = (day: string | undefined, month: string | undefined): boolean =>
  Number(day) >= 1 && Number(day) <= 31 && Number(month) >= 1 && Number(month) <= 12

const isTime = (
  hours: string | undefined,
  minutes: string | undefined,
  seconds: string | undefined
): boolean => Number(hours) <= 24 && Number(minutes ?? 0) < 60 && Number(seconds ?? 0) < 60

const timed = (
  hours: string | undefined,
  minutes: string | undefined,
  seconds: string | undefined
): string => {
  const said = [`${number(hours)} giờ`]
  if (seconds !== undefined) said.push(`${number(minutes)} phút ${number(seconds)} giây`)
  else if (Number(minutes ?? 0) > 0) said.push(number(minutes))
  return said.join(" ")
}
