import { describe, expect, it } from "@effect/vitest"
import { FastCheck as fc } from "effect"
import { plainText, turnsOfMarkup } from "../../../src/script/markup/CueMarkup.ts"

describe("turnsOfMarkup", () => {
  it("drops markup and keeps text that only looks like it", () => {
    const texts: ReadonlyArray<readonly [raw: string, plain: string]> = [
      ["<i>One</i> <b>two</b> <u>three</u>", "One two three"],
      ['<font color="#fff" face=”x”>One</font>', "One"],
      ["< u><i >One< /  i > two</xyz>", "One two"],
      ["One<br>two<br/>three", "One\ntwo\nthree"],
      ["{\\an8}One {\\i1}two{\\i0}", "One two"],
      ["{b}One{/b} {Y:i}two", "One two"],
      ["One\\Ntwo\\nthree\\hfour", "One\ntwo\nthree four"],
      ["One|two", "One\ntwo"],
      ["cat file | grep x", "cat file | grep x"],
      ["C:\\new and C:\\Next", "C:\\new and C:\\Next"],
      ["I <3 you, 1 < 2 > 0", "I <3 you, 1 < 2 > 0"],
      ["<i>x</i>^3 * <i>x</i> = 100", "x^3 * x = 100"],
      ["Fish &amp; chips &lt;here&gt; &#8217;&#x2014;&eacute;", "Fish & chips <here> ’—é"],
      ["&lt;i&gt;twice&lt;/i&gt;", "twice"],
      ["&amp;lt;i&amp;gt;Q&amp;amp;A&amp;lt;/i&amp;gt; isn&amp;#39;t", "Q&A isn't"],
      ["AT&T &nosuch; &am&amp;", "AT&T &nosuch; &am&"],
      [
        "Mail <anna@example.org> or <https://example.org/a>",
        "Mail <anna@example.org> or <https://example.org/a>"
      ],
      ["<LAUGHING AND SHOUTING>", "<LAUGHING AND SHOUTING>"],
      ["<b>Never closed", "Never closed"],
      ["<c.loud words go on", "words go on"],
      ["Ka<00:01.500>ra<00:02.000>oke", "Karaoke"],
      ["<ruby>漢字<rt>かんじ</rt></ruby>を読む", "漢字を読む"],
      ["zero\u200bwidth\u200f and soft\u00adhyphen", "zerowidth and softhyphen"],
      ["{voice: anna}Kept for later", "{voice: anna}Kept for later"]
    ]
    for (const [raw, plain] of texts) expect(plainText(raw), raw).toBe(plain)
  })

  it("separates voices", () => {
    expect(turnsOfMarkup("<v Anna Lee>One</v>\n<v.loud Bo>Two</v> and more")).toEqual([
      { speaker: "Anna Lee", text: "One" },
      { speaker: "Bo", text: "Two and more" }
    ])
    expect(turnsOfMarkup("<v>Nobody")).toEqual([{ speaker: undefined, text: "Nobody" }])
  })

  it.prop(
    "does not change text without markup signs",
    [fc.stringMatching(/^[a-zA-Zà-ỹ0-9 .,!?'-]{0,60}$/u)],
    ([text]) => {
      expect(plainText(text)).toBe(text.trim().normalize("NFC"))
    }
  )
})
