/** Dialogue lists in CSV files, Excel workbooks and Word documents. */
import { describe, expect, it } from "@effect/vitest"
import { Either, FastCheck as fc } from "effect"
import { strToU8, zipSync } from "fflate"
import { readScript } from "../../../../src/script/ScriptFile.ts"
import { cuesIn, noticesIn, rejectionOf } from "./studio.ts"

const spoken = [
  [1000, 2500, "Mind the step.", "ANNA"],
  [3000, 4000, "Thanks, all.", "BO"]
]

describe("a CSV dialogue list", () => {
  it("finds columns by their headers", () => {
    const file =
      'No,TC In,TC Out,Character,Dialogue\n1,00:00:01.000,00:00:02.500,ANNA,Mind the step.\n2,00:00:03.0,00:00:04.0,BO,"Thanks, all."\n'
    expect(cuesIn("a.csv", file)).toEqual(spoken)
    expect(cuesIn("a.csv", file.replaceAll(/,(?! )/gu, ";"))).toEqual(spoken)
  })
  it("finds columns by their contents", () => {
    const rows = Array.from(
      { length: 6 },
      (_, at) => `00:00:0${at},00:00:0${at + 1},${at % 2 === 0 ? "ANNA" : "BO"},This is line ${at}.`
    )
    expect(cuesIn("a.csv", rows.join("\n"))[2]).toEqual([2000, 3000, "This is line 2.", "ANNA"])
  })
  it("finds columns by headers in other languages, or that are not known", () => {
    const rows = "00:00:01.000,00:00:02.500,ANNA,Mind the step.\n00:00:03.0,00:00:04.0,BO,Thanks all.\n"
    const heard = [spoken[0], [3000, 4000, "Thanks all.", "BO"]]
    for (const header of ["TC entrée,TC sortie,Personnage,Texte", "Bắt đầu,Kết thúc,Nhân vật,Lời thoại"])
      expect(cuesIn("a.csv", `${header}\n${rows}`)).toEqual(heard)
    expect(cuesIn("a.csv", `Kezdet,Vég,Kép,Szöveg\n${rows}`).map((cue) => cue.slice(0, 3))).toEqual(
      heard.map((cue) => cue?.slice(0, 3))
    )
  })
  it("counts numbers in the unit of their header", () => {
    expect(cuesIn("a.csv", "start_ms,end_ms,text\n1000,2500,Hi\n")).toEqual([[1000, 2500, "Hi"]])
    expect(cuesIn("a.csv", "Start (ms),Duration (ms),Text\n1000,2500,Hi\n")).toEqual([[1000, 3500, "Hi"]])
    const frames = "In frame,Out frame,Text\n25,50,Hi\n"
    expect(cuesIn("a.csv", frames, { frameRate: "50" })).toEqual([[500, 1000, "Hi"]])
    expect(noticesIn("a.csv", frames)[0]).toContain("set frameRate")
  })
  it("is recognized in a text file", () => {
    expect(cuesIn("a.txt", "Start\tEnd\tText\n1,5\t2\tHi\n")).toEqual([[1500, 2000, "Hi"]])
    expect(cuesIn("a.txt", "Time\tText\n\nA story about time.\n")).toEqual([
      ["Time Text"],
      ["A story about time."]
    ])
  })
  it("takes the columns that the job names", () => {
    const file = "Start,End,Source,Entry A,Entry B\n1.5,2,ANNA,no,Yes.\n"
    expect(cuesIn("a.csv", file, { columns: { text: "entry b" } })).toEqual([[1500, 2000, "Yes.", "ANNA"]])
    expect(cuesIn("a.csv", file, { columns: { text: "E", speaker: "D" } })).toEqual([
      [1500, 2000, "Yes.", "no"]
    ])
    expect(rejectionOf("a.csv", file, { columns: { text: "Dub" } })).toContain(
      "columns: the table has no column of this name"
    )
  })
  it("counts frames, durations and a start at ten hours", () => {
    const file = "Harbour\n\nTimecode\tDuration\tName\tText\n10:00:01:12\t2\tANNA\tHi.\n"
    expect(cuesIn("a.tsv", file, { frameRate: "24" })).toEqual([[1500, 3500, "Hi.", "ANNA"]])
    expect(noticesIn("a.tsv", file).join()).toContain("counted at 25 frames per second")
  })
  it("without times is a narration", () => {
    expect(cuesIn("a.csv", "Character,Line\nANNA,Mind the step.\n")).toEqual([["Mind the step.", "ANNA"]])
  })
  it("reports rows without a time, with their lines", () => {
    const file = 'Start,Text\n1,"Two\nlines"\nsoon,Lost.\n'
    expect(noticesIn("a.csv", file)[0]).toContain('4: skipped "soon"')
  })
})

const zip = (parts: Readonly<Record<string, string>>): Uint8Array =>
  zipSync(Object.fromEntries(Object.entries(parts).map(([name, text]) => [name, strToU8(text)])))

const workbook = (sheet: string, strings = ""): Uint8Array =>
  zip({
    "xl/workbook.xml": '<workbook xmlns:r="urn:r"><sheets><sheet name="A" r:id="r1"/></sheets></workbook>',
    "xl/_rels/workbook.xml.rels":
      '<Relationships><Relationship Id="r1" Target="worksheets/sheet1.xml"/></Relationships>',
    "xl/styles.xml": '<styleSheet><cellXfs><xf numFmtId="0"/><xf numFmtId="46"/></cellXfs></styleSheet>',
    "xl/sharedStrings.xml": `<sst>${strings}</sst>`,
    "xl/worksheets/sheet1.xml": `<worksheet><sheetData>${sheet}</sheetData></worksheet>`
  })

const inline = (at: string, text: string) => `<c r="${at}" t="inlineStr"><is><t>${text}</t></is></c>`

it("an Excel workbook is read with its shared strings, gaps and times of day", () => {
  const strings =
    "<si><t>Start</t></si><si><r><t>Dia</t></r><r><t>logue</t></r><rPh><t>no</t></rPh></si><si><t>Role</t></si>"
  const shared = (at: string, index: number) => `<c r="${at}" t="s"><v>${index}</v></c>`
  const rows =
    `<row r="1">${shared("A1", 0)}${shared("C1", 2)}${shared("D1", 1)}</row>` +
    `<row r="3"><c r="A3" s="1"><v>${1.5 / 86_400}</v></c>${inline("C3", "ANNA")}${inline("D3", "Hi.")}</row>`
  expect(cuesIn("a.xlsx", workbook(rows, strings))).toEqual([[1500, 1500, "Hi.", "ANNA"]])
  expect(rejectionOf("a.xlsx", workbook(""))).toContain("the workbook has no rows")
})

const word = (body: string): Uint8Array =>
  zip({ "word/document.xml": `<w:document xmlns:w="urn:w"><w:body>${body}</w:body></w:document>` })
const paragraph = (text: string) => `<w:p><w:r><w:t>${text}</w:t></w:r></w:p>`
const row = (...cells: ReadonlyArray<string>) =>
  `<w:tr>${cells.map((cell) => `<w:tc>${paragraph(cell)}</w:tc>`).join("")}</w:tr>`

describe("a Word document", () => {
  it("is read by its table, without deleted text", () => {
    const deleted = "<w:p><w:del><w:r><w:delText>no</w:delText></w:r></w:del></w:p>"
    const table = `<w:tbl>${row("In", "Out", "Character", "Dialogue")}${row("00:00:01", "00:00:02", "ANNA", "Hi.")}</w:tbl>`
    expect(cuesIn("a.docx", word(paragraph("Harbour") + deleted + table))).toEqual([
      [1000, 2000, "Hi.", "ANNA"]
    ])
  })
  it("is read past merged cells, content controls, and rows that were deleted", () => {
    const cell = (content: string, properties = "") => `<w:tc><w:tcPr>${properties}</w:tcPr>${content}</w:tc>`
    const wide = cell(paragraph("00:00:01"), '<w:gridSpan w:val="2"/>') + cell(paragraph("ANNA"))
    const wrapped = `<w:sdt><w:sdtContent>${cell(paragraph("Hi."))}</w:sdtContent></w:sdt>`
    const gone = row("00:00:03", "00:00:04", "BEN", "Bye.").replace(
      "<w:tr>",
      "<w:tr><w:trPr><w:del/></w:trPr>"
    )
    const table = `<w:tbl>${row("In", "Out", "Character", "Dialogue")}<w:tr>${wide}${wrapped}</w:tr>${gone}</w:tbl>`
    expect(cuesIn("a.docx", word(table))).toEqual([[1000, 1000, "Hi.", "ANNA"]])
  })
  it("repeats a name that is merged over several rows, but no long text", () => {
    const long = "A line so long that it would be heard a second time."
    const below = "<w:tc><w:tcPr><w:vMerge/></w:tcPr><w:p/></w:tc>"
    const cells = (name: string, text: string) =>
      `<w:tr><w:tc>${paragraph("00:00:04")}</w:tc>${name}<w:tc>${paragraph(text)}</w:tc></w:tr>`
    const table = (...rows: ReadonlyArray<string>) =>
      word(`<w:tbl>${row("In", "Character", "Dialogue")}${rows.join("")}</w:tbl>`)
    const named = table(row("00:00:01", "ANNA", "Hi."), cells(below, "Bye."), cells(below, "Well."))
    expect(cuesIn("a.docx", named).map((cue) => cue.slice(2))).toEqual([
      ["Hi.", "ANNA"],
      ["Bye.", "ANNA"],
      ["Well.", "ANNA"]
    ])
    const merged = cells(`<w:tc>${paragraph("BO")}</w:tc>`, "").replace(
      /<w:tc>(?!.*<w:tc>).*<\/w:tc>/u,
      below
    )
    expect(cuesIn("a.docx", table(row("00:00:01", "ANNA", long), merged))).toEqual([
      [1000, 1000, long, "ANNA"]
    ])
  })
  it("is read by its table, even inside another table that only lays out the page", () => {
    const list = `<w:tbl>${row("In", "Dialogue")}${row("00:00:01", "Hi.")}</w:tbl>`
    const framed = (content: string) => `<w:tbl><w:tr><w:tc>${content}<w:p/></w:tc></w:tr></w:tbl>`
    expect(cuesIn("a.docx", word(framed(list)))).toEqual([[1000, 1000, "Hi."]])
    const note = `<w:tbl>${row("very", "soon")}</w:tbl>`
    const rows = row("In", "Dialogue") + row("00:00:01", "Hi.").replace("Hi.</w:t></w:r></w:p>", `$&${note}`)
    expect(cuesIn("a.docx", word(`<w:tbl>${rows}</w:tbl>`))).toEqual([[1000, 1000, "Hi.\nvery\nsoon"]])
  })
  it("is read with its hyphens, but without hidden text and ruby", () => {
    const run = (content: string, properties = "") => `<w:r><w:rPr>${properties}</w:rPr>${content}</w:r>`
    const said =
      run("<w:t>A well</w:t><w:noBreakHyphen/><w:t>known </w:t>") +
      run("<w:t>secret </w:t>", "<w:vanish/>") +
      run("<w:t>town </w:t>", '<w:vanish w:val="0"/>') +
      `<w:r><w:ruby><w:rt>${run("<w:t>kan</w:t>")}</w:rt><w:rubyBase>${run("<w:t>漢</w:t>")}</w:rubyBase></w:ruby></w:r>`
    expect(cuesIn("a.docx", word(`<w:p>${said}</w:p>`))).toEqual([["A well-known town 漢"]])
  })
  it("without a table is read as the text that it holds", () => {
    const lines = ["1", "00:00:01,000 --&gt; 00:00:02,000", "Hi."].map(paragraph).join("")
    expect(cuesIn("a.docx", word(lines))).toEqual([[1000, 2000, "Hi."]])
    expect(cuesIn("a.docx", word(paragraph("Once upon a time.")))).toEqual([["Once upon a time."]])
  })
})

it("ZIP archives that are damaged or hold something else are rejected", () => {
  expect(rejectionOf("a.docx", zip({ "a.txt": "hi" }))).toContain("ZIP archive")
  const whole = word(paragraph("Hi."))
  fc.assert(
    fc.property(fc.nat(whole.length), fc.uint8Array({ maxLength: 20 }), (at, put) => {
      const damaged = Uint8Array.from([...whole.subarray(0, at), ...put, ...whole.subarray(at + put.length)])
      expect(Either.isEither(readScript(damaged, "a.docx"))).toBe(true)
    }),
    { numRuns: 200 }
  )
})
