import { describe, expect, it } from "@effect/vitest"
import { FastCheck } from "effect"
import { escaped, html, jsonText } from "../../src/pages/Html.ts"
import { hostile } from "./sample.ts"

const entities: Readonly<Record<string, string>> = {
  "&amp;": "&",
  "&lt;": "<",
  "&gt;": ">",
  "&quot;": '"',
  "&#39;": "'"
}
const read = (text: string): string =>
  text.replaceAll(/&(?:amp|lt|gt|quot|#39);/gu, (entity) => entities[entity] ?? entity)

const printable = FastCheck.string({
  unit: FastCheck.constantFrom("<", ">", "&", '"', "'", "/", "a", "đ", " ", "\n", ";", "lt")
})

describe("HTML", () => {
  it.prop("says what it was given and holds no markup of it", [printable], ([text]) => {
    expect(escaped(text)).not.toMatch(/[<>"']/u)
    expect(read(escaped(text))).toBe(text)
  })

  it("shows control characters and broken pairs instead of hiding them", () => {
    expect(escaped("a\u0000b\u001Bc\uD800d\te\n")).toBe("a\uFFFDb\uFFFDc\uFFFDd\te\n")
  })

  it("escapes values in elements and attributes, joins lists, leaves out what is not there", () => {
    const inner = html`<b>${"<i>"}</b>`
    expect(html`<p title="${'"x"'}">${[inner, 3, undefined, "&"]}</p>`.text).toBe(
      '<p title="&quot;x&quot;"><b>&lt;i&gt;</b>3&amp;</p>'
    )
  })

  it.prop(
    "data keeps its words and cannot end its element",
    [FastCheck.jsonValue(), printable],
    ([value, text]) => {
      const data = { value, text, hostile }
      const written = jsonText(data).text
      expect(written).not.toContain("<")
      expect(JSON.parse(written)).toEqual(JSON.parse(JSON.stringify(data)))
    }
  )
})
