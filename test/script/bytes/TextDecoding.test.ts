import { describe, expect, it } from "@effect/vitest"
import { Either, FastCheck as fc } from "effect"
import iconv from "iconv-lite"
import { decodeText } from "../../../src/script/bytes/TextDecoding.ts"

const encoder = new TextEncoder()
const decoded = (bytes: Uint8Array, encoding?: string, language?: string) =>
  Either.getOrThrow(decodeText(bytes, encoding, language))
const refusal = (bytes: Uint8Array, encoding?: string, language?: string) =>
  Either.getOrThrow(Either.flip(decodeText(bytes, encoding, language)))

const srt = (text: string): string =>
  Array.from(
    { length: 12 },
    (_, i) => `${i + 1}\r\n00:00:${10 + i},000 --> 00:00:${10 + i},900\r\n${text}\r\n`
  ).join("\r\n")

/** Separates tone marks from their letters, as the Vietnamese code page requires. */
const toneMarksApart = (text: string): string =>
  text.normalize("NFC").replace(/[\u00c0-\u01b0\u1ea0-\u1ef9]/gu, (letter) => {
    const mark = /[\u0300\u0301\u0303\u0309\u0323]/u.exec(letter.normalize("NFD"))?.[0]
    return mark === undefined ? letter : letter.normalize("NFD").replace(mark, "").normalize("NFC") + mark
  })

describe("decodeText", () => {
  it.prop(
    "decodes any text from UTF-8, and from UTF-16 and UTF-32 with a byte order mark",
    [fc.fullUnicodeString({ minLength: 1 })],
    ([text]) => {
      fc.pre(
        text.trim() !== "" && !/[\ud800-\udfff]|\r|\0|\ufeff/u.test(text) && !/[\u0080-\u00ff]/u.test(text)
      )
      for (const encoding of ["utf-8", "utf-16le", "utf-16be", "utf-32le", "utf-32be"]) {
        const bytes = iconv.encode(`x${text}`, encoding, { addBOM: true })
        expect(decoded(bytes)).toEqual({ text: `x${text}`.normalize("NFC"), encoding, notices: [] })
      }
    }
  )

  it("detects UTF-16 without a byte order mark by its zero bytes", () => {
    for (const encoding of ["utf-16le", "utf-16be"])
      expect(decoded(iconv.encode("Größe\n漢字 1 2 3\n", encoding)).text).toBe("Größe\n漢字 1 2 3\n")
  })

  it("normalizes line ends, removes the byte order mark, and composes letters", () => {
    expect(decoded(encoder.encode("\ufeffa\r\nb\rc\nTie\u0302\u0301ng")).text).toBe("a\nb\nc\nTiếng")
  })

  it("decodes legacy code pages, with a notice", () => {
    const pages: ReadonlyArray<readonly [encoding: string, text: string]> = [
      [
        "windows-1258",
        toneMarksApart("Trời hôm nay đẹp quá, mình ra bến phà đợi nhé. Những người bạn cũ cũng đến.")
      ],
      ["windows-1251", "Сегодня прекрасная погода, пойдём к переправе и подождём друзей."],
      ["windows-1252", "Aujourd’hui il fait très beau, allons près du ponton où l’été s’achève."],
      ["windows-1253", "Σήμερα ο καιρός είναι πολύ ωραίος, ας περιμένουμε στην προβλήτα."],
      ["windows-1256", "الطقس جميل جدا اليوم، هيا بنا ننتظر أصدقاءنا عند المرسى"],
      ["windows-874", "วันนี้อากาศดีมาก เราไปรอเพื่อนที่ท่าเรือกันเถอะ"],
      ["gb18030", "今天的天气非常好，我们一起去码头等我们的老朋友吧。"],
      ["big5hkscs", "今天的天氣非常好，我們一起去碼頭等我們的老朋友吧。"],
      ["cp949", "오늘은 날씨가 아주 좋으니 우리 같이 나루터에서 친구를 기다리자."],
      ["shift_jis", "今日はとても天気がいいから、一緒に渡し場で友だちを待とう。"],
      ["cp850", "Où as-tu rangé la clé de mon frère ? Elle était à côté de la fenêtre, près du château."],
      ["cp850", "Fährt die Fähre heute früh? Wir müssten schließlich über die Brücke, höchstens zu fünft."],
      ["cp852", "Dziś jest piękna pogoda, więc chodźmy na przystań i poczekajmy na przyjaciół."],
      ["cp866", "Сегодня прекрасная погода, пойдём к переправе и подождём друзей. Я уже иду."],
      ["macintosh", "Où as-tu rangé la clé de mon frère ? Elle était à côté de la fenêtre, près du château."],
      ["maccenteuro", "Dziś jest piękna pogoda, więc chodźmy na przystań i poczekajmy na przyjaciół."],
      ["maccyrillic", "Сегодня прекрасная погода, пойдём к переправе и подождём друзей. Я уже иду."],
      ["iso-8859-2", "Dziś jest piękna pogoda, więc chodźmy na przystań i poczekajmy na przyjaciół."]
    ]
    for (const [encoding, text] of pages) {
      const read = decoded(iconv.encode(srt(text), encoding))
      expect(read.text).toBe(srt(text).replaceAll("\r\n", "\n").normalize("NFC"))
      expect(read.notices.map((notice) => [notice.line, notice.message])).toEqual([
        [3, `not UTF-8: read as ${read.encoding}; if that is wrong, set "encoding"`]
      ])
    }
  })

  it("finds the code page by the letters of the language, also for capitals", () => {
    const texts: Readonly<Record<string, readonly [text: string, pages: string]>> = {
      es: ["¿Dónde está el niño? Mañana iré a la estación.", "cp850 cp437 macintosh windows-1252"],
      pt: ["Não há ninguém no barco, capitão. Até amanhã!", "cp850 cp860 macintosh"],
      da: ["Det blæser på søen, og båden er væk.", "cp865 cp850 macintosh"],
      tr: ["Nasılsın, ağabey? Çok güzel bir gün, şeker.", "cp857 macturkish windows-1254"],
      cs: ["Příliš žluťoučký kůň úpěl ďábelské ódy.", "cp852 maccenteuro windows-1250 iso-8859-2"],
      ru: [
        "Доброе утро, капитан. Идёт сильный шторм.",
        "cp855 cp866 maccyrillic koi8-r windows-1251 iso-8859-5"
      ],
      uk: ["Де наш човен і де мій брат? Їдьмо.", "cp1125 koi8-u windows-1251"],
      el: ["Πού είναι η βάρκα μας; Έρχεται καταιγίδα.", "cp737 cp869 macgreek windows-1253"],
      he: ["איפה הסירה שלנו? הוא אמר שיחזור מחר.", "cp862 windows-1255"],
      ar: ["أين قاربنا وأين أخي\u061f قال إنه سيعود غدا.", "windows-1256 iso-8859-6"]
    }
    for (const [language, [text, pages]] of Object.entries(texts))
      for (const page of pages.split(" "))
        for (const said of language === "ru" ? [text, text.toUpperCase(), text.toLowerCase()] : [text])
          expect(decoded(iconv.encode(srt(said), page), undefined, language).text, page).toContain(said)
  })

  it("does not decode a text as one without letters of its language, or with frames in its words", () => {
    const expected = 'cannot detect the character encoding; save the file as UTF-8 or set "encoding"'
    const greek = (page: string) => iconv.encode(srt("Πού είναι η βάρκα μας; Έρχεται καταιγίδα."), page)
    expect(refusal(greek("windows-1253"), undefined, "he")).toMatchObject({ line: 3, expected })
    expect(refusal(greek("cp737"))).toMatchObject({ line: 3, expected })
    const ukrainian = "Доброго ранку, капітане, як ви спали? Де наш човен і де мій брат?"
    expect(decoded(iconv.encode(srt(ukrainian), "koi8-u")).text).toContain(ukrainian)
  })

  it("decodes lines of a code page in a UTF-8 file, with a notice", () => {
    const file = (foreign: string, encoding: string, ...others: ReadonlyArray<string>) =>
      Buffer.concat([
        ...others.map((line) => Buffer.from(`${line}\n`)),
        iconv.encode(`${foreign}\n`, encoding),
        Buffer.from(others.join("\n"))
      ])
    const mixtures: ReadonlyArray<
      readonly [foreign: string, encoding: string, ...others: ReadonlyArray<string>]
    > = [
      ["Un café.", "windows-1252", "L’été", "Où ça ?", "Très bien."],
      ["пойдём к переправе", "windows-1251", "Сегодня", "прекрасная", "погода"],
      ["今天的天气非常好，我们一起去", "gb18030", "今天天气很好", "我们去码头吧", "好的"]
    ]
    for (const [foreign, encoding, ...others] of mixtures)
      for (const mark of ["", "\ufeff"]) {
        const read = decoded(Buffer.concat([Buffer.from(mark), file(foreign, encoding, ...others)]))
        expect(read.text).toBe([...others, foreign, ...others].join("\n"))
        expect(read.notices.map((notice) => [notice.line, notice.message])).toEqual([
          [
            4,
            `not UTF-8, unlike the rest of the file: read as ${encoding}; if that is wrong, save the file as UTF-8`
          ]
        ])
      }
    const cut = Buffer.concat([
      Buffer.from("Trời\nđẹp\nlắm\n"),
      Buffer.from("Trời đẹ").subarray(0, -1),
      Buffer.from("\n")
    ])
    expect(decoded(Buffer.concat([cut, cut]))).toMatchObject({
      text: "Trời\nđẹp\nlắm\nTrời đ\ufffd\n".repeat(2),
      notices: [{ line: 4, message: "skipped bytes that are not UTF-8 (this line and 1 more)" }]
    })
  })

  it("uses the given encoding, also in spite of a byte order mark", () => {
    const bytes = iconv.encode("Ünï", "windows-1252")
    expect(decoded(bytes, "windows-1252").text).toBe("Ünï")
    expect(decoded(Buffer.concat([Buffer.of(0xef, 0xbb, 0xbf), bytes]), "windows-1252").text).toBe("Ünï")
  })

  it("repairs double-encoded letters, and no others", () => {
    const twice = iconv.decode(Buffer.from("Đến bến “cũ” – café\n"), "latin1")
    expect(decoded(encoder.encode(twice)).text).toBe("Đến bến “cũ” – café\n")
    expect(decoded(encoder.encode(iconv.decode(Buffer.from("l’été\n"), "windows-1252"))).text).toBe("l’été\n")
    for (const page of ["latin1", "windows-1252"]) {
      const again = (text: string): string => iconv.decode(Buffer.from(text), page)
      expect(decoded(encoder.encode(again(again("l'été\n")))).text).toBe("l'été\n")
      expect(decoded(encoder.encode(again(again(again("l'été\n"))))).text).toBe("l'été\n")
    }
    for (const page of ["windows-1251", "macintosh"])
      expect(decoded(encoder.encode(iconv.decode(Buffer.from("déjà vu, où ?\n"), page))).text).toBe(
        "déjà vu, où ?\n"
      )
    expect(decoded(encoder.encode("♪ là ♪\nÃ§a va, voilÃ .\n")).text).toBe("♪ là ♪\nça va, voilà .\n")
    for (const [language, text, page] of [
      ["ru", "Доброе утро, капитан.", "windows-1251"],
      ["pl", "Gdzie jest mój łódź?", "windows-1250"],
      ["tr", "Nasılsın, ağabey?", "windows-1254"]
    ] as const) {
      const garbled = encoder.encode(iconv.decode(iconv.encode(`${text}\n`, page), "windows-1252"))
      expect(decoded(garbled, undefined, language)).toMatchObject({
        text: `${text}\n`,
        notices: [{ line: 1 }]
      })
      for (const said of [text, text.toUpperCase()])
        expect(decoded(encoder.encode(said), undefined, language)).toMatchObject({ text: said, notices: [] })
    }
    expect(decoded(encoder.encode("Ã la carte, SÃO PAULO é")).text).toBe("Ã la carte, SÃO PAULO é")
  })

  it("fails for empty, binary and wrongly declared files, with the line", () => {
    expect(refusal(new Uint8Array())).toMatchObject({
      line: 1,
      expected: "the file is empty; expected cues or text"
    })
    expect(refusal(encoder.encode("\ufeff \n\n"))).toMatchObject({ line: 1 })
    expect(refusal(Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a)).expected).toContain("a PNG picture")
    expect(refusal(Uint8Array.from({ length: 999 }, (_, i) => (i * 37) % 256)).expected).toContain(
      "binary data"
    )
    expect(refusal(iconv.encode("one\ntwo\nthrée\n", "windows-1252"), "utf-8")).toMatchObject({
      line: 3,
      found: "thr\ufffde"
    })
    expect(refusal(encoder.encode("x"), "klingon")).toMatchObject({ line: 1, found: "klingon" })
  })
})
