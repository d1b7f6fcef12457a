import { expect, test } from "vitest"
import { englishWords } from "../../../../src/engines/text/vietnamese/EnglishWords.ts"
import { isSyllable } from "../../../../src/engines/text/vietnamese/Syllable.ts"

const english = (text: string): ReadonlyArray<string> => {
  const words = text.split(" ")
  const flags = englishWords(words)
  return words.filter((_, index) => flags[index])
}

test("words that cannot be a syllable are English", () => {
  expect(english("Tôi dùng Google và Facebook trên laptop, xem video của John Smith.")).toEqual([
    "Google",
    "Facebook",
    "laptop,",
    "video",
    "John",
    "Smith."
  ])
})

test("short words are English between English words, but not alone", () => {
  expect(english("phim Back to School và con to lắm")).toEqual(["Back", "to", "School"])
})

test("Vietnamese words are not English, whatever their spelling", () => {
  const words =
    "quyển giường khuya nghiêng gì giếng Quỳnh quốc yêu ai oan uống khuỷu ngoằn ngoèo thuở huýt quẹt rượu buýt ghế kẻ nghe ghi quý giữa xoong"
  expect(english(words)).toEqual([])
})

test("a syllable that ends in c, ch, p or t has a tone mark, unless the whole text has no marks", () => {
  expect(isSyllable("hot")).toBe(false)
  expect(isSyllable("hót")).toBe(true)
  expect(english("xem phim hot")).toEqual([])
  expect(english("đang xem phim hot")).toEqual(["hot"])
})
