import { describe, expect, it } from "@effect/vitest"
import { FastCheck } from "effect"
import { escaped, html, jsonText, HtmlParts } from "../../../src/pages/parts/Html.ts"
import { hostile } from "../sample.ts"

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
  it.prop("preserves text and neutralizes its markup", [printable], ([text]) => {
    expect(escaped(text)).not.toMatch(/[<>"']/u)
    expect(read(escaped(text))).toBe(text)
  })

  it("shows control characters and lone surrogates as U+FFFD", () => {
    expect(escaped("a\u0000b\u001Bc\uD800d\te\n")).toBe("a\uFFFDb\uFFFDc\uFFFDd\te\n")
  })

  it("escapes values in elements and attributes, joins lists, omits undefined", () => {
    const inner = html`<b>${"<i>"}</b>`
    expect(html`<p title="${'"x"'}">${[inner, 3, undefined, "&"]}</p>`.text).toBe(
      '<p title="&quot;x&quot;"><b>&lt;i&gt;</b>3&amp;</p>'
    )
  })

  it("renders rows on demand, one at a time", () => {
    const asked: Array<number> = []
    const rows = new HtmlParts(function* () {
      for (const row of [1, 2, 3]) {
        asked.push(row)
        yield html`<i>${row}</i>`
      }
    })
    const list = html`<p>${[html`<b>${"&"}</b>`, rows]}</p>`
    const pieces = list.pieces()
    expect([pieces.next().value, asked]).toEqual(["<p><b>&amp;</b>", []])
    expect([pieces.next().value, asked]).toEqual(["<i>1</i>", [1]])
    expect(list.text).toBe("<p><b>&amp;</b><i>1</i><i>2</i><i>3</i></p>")
  })

  it.prop(
    "embeds JSON that survives a round trip and cannot close its element",
    [FastCheck.jsonValue(), printable],
    ([value, text]) => {
      const data = { value, text, hostile }
      const written = jsonText(data).text
      expect(written).not.toContain("<")
      expect(JSON.parse(written)).toEqual(JSON.parse(JSON.stringify(data)))
    }
  )
})
