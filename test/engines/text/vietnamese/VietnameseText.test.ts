import { expect, it } from "@effect/vitest"
import { FastCheck } from "effect"
import { describe, test } from "vitest"
import { normalizeText } from "../../../../src/engines/text/TextNormalization.ts"
import { integerWords } from "../../../../src/engines/text/vietnamese/Numbers.ts"

const read = (text: string): string =>
  normalizeText(text, "vi")
    .map(({ spoken }) => spoken)
    .filter((spoken) => spoken !== "")
    .join(" ")

/** Written text and its spoken form. */
const examples: Readonly<Record<string, ReadonlyArray<readonly [string, string]>>> = {
  "whole numbers": [
    ["0", "không"],
    ["4", "bốn"],
    ["10", "mười"],
    ["11", "mười một"],
    ["14", "mười bốn"],
    ["15", "mười lăm"],
    ["20", "hai mươi"],
    ["21", "hai mươi mốt"],
    ["24", "hai mươi tư"],
    ["25", "hai mươi lăm"],
    ["100", "một trăm"],
    ["101", "một trăm linh một"],
    ["104", "một trăm linh tư"],
    ["105", "một trăm linh năm"],
    ["110", "một trăm mười"],
    ["115", "một trăm mười lăm"],
    ["121", "một trăm hai mươi mốt"],
    ["999", "chín trăm chín mươi chín"],
    ["1000", "một nghìn"],
    ["1005", "một nghìn không trăm linh năm"],
    ["1015", "một nghìn không trăm mười lăm"],
    ["1975", "một nghìn chín trăm bảy mươi lăm"],
    ["2024", "hai nghìn không trăm hai mươi tư"],
    ["10000", "mười nghìn"],
    ["21001", "hai mươi mốt nghìn không trăm linh một"],
    ["1000000", "một triệu"],
    ["1000005", "một triệu không trăm linh năm"],
    ["2500000", "hai triệu năm trăm nghìn"],
    ["1000000000", "một tỷ"],
    ["1234567890", "một tỷ hai trăm ba mươi tư triệu năm trăm sáu mươi bảy nghìn tám trăm chín mươi"],
    ["3000000000000", "ba nghìn tỷ"],
    ["007", "không không bảy"]
  ],
  "thousands and fractions": [
    ["1.000", "một nghìn"],
    ["1.234.567", "một triệu hai trăm ba mươi tư nghìn năm trăm sáu mươi bảy"],
    ["5 000 000 người", "năm triệu người"],
    ["3,14", "ba phẩy mười bốn"],
    ["3.14", "ba chấm mười bốn"],
    ["0,5", "không phẩy năm"],
    ["1,05", "một phẩy không năm"],
    ["1.234,5", "một nghìn hai trăm ba mươi tư phẩy năm"]
  ],
  dates: [
    ["Ngày 15/3/2024", "Ngày mười lăm tháng ba năm hai nghìn không trăm hai mươi tư"],
    ["hôm 2/4/2020", "hôm ngày hai tháng tư năm hai nghìn không trăm hai mươi"],
    ["31-12-2023", "ngày ba mươi mốt tháng mười hai năm hai nghìn không trăm hai mươi ba"],
    ["2024-01-05", "ngày năm tháng một năm hai nghìn không trăm hai mươi tư"],
    ["tháng 4/2025", "tháng tư năm hai nghìn không trăm hai mươi lăm"],
    ["tháng 4", "tháng tư"],
    ["ngày 20/11", "ngày hai mươi tháng mười một"],
    ["lễ 30/4", "lễ ba mươi tháng tư"],
    ["thứ 4", "thứ tư"],
    ["thứ 2", "thứ hai"],
    ["lần thứ 1", "lần thứ nhất"],
    ["năm 1945", "năm một nghìn chín trăm bốn mươi lăm"]
  ],
  times: [
    ["10:30", "mười giờ ba mươi"],
    ["8:00", "tám giờ"],
    ["10h15", "mười giờ mười lăm"],
    ["7g05", "bảy giờ năm"],
    ["lúc 5h", "lúc năm giờ"],
    ["23:59:01", "hai mươi ba giờ năm mươi chín phút một giây"],
    ["8h-17h", "tám giờ đến mười bảy giờ"]
  ],
  "shares and scores": [
    ["1/2", "một phần hai"],
    ["3/4", "ba phần tư"],
    ["24/7", "hai mươi tư trên bảy"],
    ["tỷ số 2-1", "tỷ số hai một"],
    ["thắng 3-0", "thắng ba không"],
    ["16:9", "mười sáu trên chín"]
  ],
  units: [
    ["5 km", "năm ki lô mét"],
    ["60km/h", "sáu mươi ki lô mét trên giờ"],
    ["100m²", "một trăm mét vuông"],
    ["20 m3", "hai mươi mét khối"],
    ["1m75", "một mét bảy mươi lăm"],
    ["1,5 lít", "một phẩy năm lít"],
    ["500 ml", "năm trăm mi li lít"],
    ["35°C", "ba mươi lăm độ xê"],
    ["-5 °C", "âm năm độ xê"],
    ["16 GB", "mười sáu gi ga bai"],
    ["90 phút", "chín mươi phút"]
  ],
  "money and shares of a hundred": [
    ["50%", "năm mươi phần trăm"],
    ["3,5%", "ba phẩy năm phần trăm"],
    ["20.000đ", "hai mươi nghìn đồng"],
    ["20.000 VNĐ", "hai mươi nghìn đồng"],
    ["50k", "năm mươi nghìn"],
    ["$5", "năm đô la"],
    ["$5 triệu", "năm triệu đô la"],
    ["3 triệu USD", "ba triệu đô la Mỹ"],
    ["100 €", "một trăm ơ rô"],
    ["20.000đ/kg", "hai mươi nghìn đồng trên ki lô gam"],
    ["500 đồng/kg", "năm trăm đồng trên ki lô gam"]
  ],
  ranges: [
    ["10-15", "mười đến mười lăm"],
    ["10–15%", "mười đến mười lăm phần trăm"],
    ["5 - 7 người", "năm đến bảy người"],
    ["2019-2024", "hai nghìn không trăm mười chín đến hai nghìn không trăm hai mươi tư"]
  ],
  telephones: [
    ["0912345678", "không chín một hai, ba bốn năm, sáu bảy tám"],
    ["0912 345 678", "không chín một hai, ba bốn năm, sáu bảy tám"],
    ["0912.345.678", "không chín một hai, ba bốn năm, sáu bảy tám"],
    ["+84912345678", "cộng tám bốn chín một hai, ba bốn năm, sáu bảy tám"]
  ],
  abbreviations: [
    ["TP.HCM", "thành phố Hồ Chí Minh"],
    ["TP. Đà Nẵng", "thành phố Đà Nẵng"],
    ["TP.Huế", "thành phố Huế"],
    ["UBND Q.1", "ủy ban nhân dân quận một"],
    ["cam, bưởi, v.v.", "cam, bưởi, vân vân."],
    ["PGS.TS. Lê An", "phó giáo sư tiến sĩ Lê An"],
    ["ở VN.", "ở Việt Nam."],
    ["TV và CEO", "ti vi và xi i ô"],
    ["XYZ", "ích y dét"],
    ["KHÔNG ĐƯỢC ĐI!", "KHÔNG ĐƯỢC ĐI!"]
  ],
  "Roman numerals": [
    ["thế kỷ XXI", "thế kỷ hai mươi mốt"],
    ["Chương IV", "Chương bốn"],
    ["Louis XIV", "Louis mười bốn"],
    ["đại hội XIII", "đại hội mười ba"],
    ["vi vu", "vi vu"]
  ],
  "letters, signs and digits in one word": [
    ["COVID-19", "COVID mười chín"],
    ["5G", "năm giê"],
    ["MP3", "em mờ pê ba"],
    ["4K", "bốn ca"],
    ["R&D", "e rờ và đê"],
    ["1920x1080", "một nghìn chín trăm hai mươi nhân một nghìn không trăm tám mươi"],
    ["an@a.vn", "an a còng a chấm vê en nờ"],
    ["3 + 4 = 7", "ba cộng bốn bằng bảy"],
    ["3 < 5", "ba nhỏ hơn năm"],
    ["½", "một phần hai"],
    ["٣", "ba"]
  ]
}

for (const [what, rows] of Object.entries(examples)) {
  describe(what, () => {
    test.each(rows)("%s", (written, said) => {
      expect(read(written)).toBe(said)
    })
  })
}

test("marks map back to what was written", () => {
  expect(normalizeText("Giá 5 000 đ — rẻ 🙂 lắm.", "vi")).toEqual([
    { gap: "", original: "Giá", spoken: "Giá" },
    { gap: " ", original: "5 000", spoken: "năm nghìn" },
    { gap: " ", original: "đ", spoken: "đồng," },
    { gap: " ", original: "—", spoken: "" },
    { gap: " ", original: "rẻ", spoken: "rẻ" },
    { gap: " ", original: "🙂", spoken: "" },
    { gap: " ", original: "lắm.", spoken: "lắm." }
  ])
})

/** Parses a number from Vietnamese words. */
const valueOf = (words: string): number => {
  const digits = ["không", "một", "hai", "ba", "bốn", "năm", "sáu", "bảy", "tám", "chín"]
  const unit: Readonly<Record<string, number>> = {
    mốt: 1,
    tư: 4,
    lăm: 5,
    ...Object.fromEntries(digits.map((word, value) => [word, value]))
  }
  let billions = 0
  let sum = 0
  let three = 0
  let last = 0
  for (const word of words.split(" ")) {
    if (word === "trăm") [three, last] = [last * 100, 0]
    else if (word === "mươi") [three, last] = [three + last * 10, 0]
    else if (word === "mười") three += 10
    else if (word === "nghìn") [sum, three, last] = [sum + (three + last) * 1e3, 0, 0]
    else if (word === "triệu") [sum, three, last] = [sum + (three + last) * 1e6, 0, 0]
    else if (word === "tỷ") [billions, sum, three, last] = [(billions + sum + three + last) * 1e9, 0, 0, 0]
    else if (word !== "linh") last = unit[word] ?? NaN
  }
  return billions + sum + three + last
}

it.prop(
  "a number's words parse to that number",
  [FastCheck.integer({ min: 0, max: 999_999_999_999_999 })],
  ([value]) => {
    expect(valueOf(integerWords(String(value)))).toBe(value)
  }
)

const pieces = [
  ...[
    "1",
    "15",
    "2024",
    "0912",
    "345",
    "678",
    "1.000",
    "3,5",
    "10:30",
    "5/3",
    "2-1",
    "5G",
    "١٢",
    "②",
    "½",
    "10²"
  ],
  ...[
    "km",
    "%",
    "đ",
    "$5",
    "TP.",
    "HCM",
    "XIV",
    "v.v.",
    "tháng",
    "Xin",
    "chào!",
    "Google",
    "—",
    "🙂",
    "…",
    "&",
    "a-b",
    "1e5"
  ]
]
const texts = FastCheck.oneof(
  FastCheck.string({ unit: "grapheme", maxLength: 60 }),
  FastCheck.array(FastCheck.constantFrom(...pieces), { maxLength: 12 }).map((words) => words.join(" "))
)

it.prop("no digits are left, and no written text is lost", [texts], ([text]) => {
  const tokens = normalizeText(text, "vi")
  expect(tokens.map(({ gap, original }) => gap + original).join("")).toBe(text.trimEnd())
  expect(tokens.map(({ spoken }) => spoken).join(" ")).not.toMatch(/\p{Nd}/u)
})
