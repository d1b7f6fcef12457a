/** DAPT scripts, validated by libxml2 against the W3C's schemas. */
import { readdirSync } from "node:fs"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import {
  XmlBufferInputProvider,
  XmlDocument,
  xmlCleanupInputProvider,
  xmlRegisterInputProvider,
  XsdValidator
} from "libxml2-wasm"
import { frameRateNamed } from "../../../src/domain/time/FrameRate.ts"
import { Timeline } from "../../../src/domain/speech/Timeline.ts"
import { dapt } from "../../../src/exports/scripts/Dapt.ts"
import { corpusFile, corpusFolder, hasCorpus } from "../../script/corpus.ts"
import { anyTimeline, scene } from "../timelines/timelines.ts"

const folder = "formats/w3c+dapt/xml-schemas"
const evening = Timeline.make({ ...scene(frameRateNamed("25"), 0), language: "vi" })

describe.skipIf(!hasCorpus)("DAPT against its schemas", () => {
  let validator: XsdValidator

  beforeAll(() => {
    xmlRegisterInputProvider(
      new XmlBufferInputProvider(
        Object.fromEntries(
          readdirSync(join(corpusFolder, folder)).map((name) => [name, Buffer.from(schemaText(name))])
        )
      )
    )
    const schema = XmlDocument.fromBuffer(Buffer.from(schemaText("dapt.xsd")), { url: "dapt.xsd" })
    validator = XsdValidator.fromDoc(schema)
    schema.dispose()
  })
  afterAll(() => {
    validator.dispose()
    xmlCleanupInputProvider()
  })

  /** Throws if a document is not valid, or names a character that it does not define. */
  const validate = (text: string): void => {
    const document = XmlDocument.fromString(text)
    try {
      validator.validate(document)
      const unknown = document.find("//@ttm:agent[not(. = //ttm:agent/@xml:id)]", {
        ttm: "http://www.w3.org/ns/ttml#metadata"
      })
      if (unknown.length > 0) throw new Error(`${unknown.length} events of unknown characters`)
    } finally {
      document.dispose()
    }
  }

  it("a script is valid, with and without lines", () => {
    validate(dapt(evening))
    validate(dapt(Timeline.make({ ...evening, tracks: [] })))
  })

  it.prop("any script is valid", [anyTimeline], ([timeline]) => {
    validate(dapt(timeline))
  })

  it.each([
    ["a script type that DAPT does not define", /asRecorded/u, "asHeard"],
    ["a missing script type", / daptm:scriptType="asRecorded"/u, ""],
    ["an element that DAPT does not allow", /<audio /u, "<video "],
    ["two events of one name", /event_2/u, "event_1"],
    ["an event of an unknown character", /ttm:agent="character_1"/u, 'ttm:agent="nobody"']
  ])("the check finds %s", (_, what, instead) => {
    const text = dapt(evening)
    expect(text).toMatch(what)
    expect(() => {
      validate(text.replace(what, instead))
    }).toThrow()
  })
})

/** A schema without the inclusion of itself, which libxml2 refuses. */
const schemaText = (name: string): string =>
  Buffer.from(corpusFile(`${folder}/${name}`))
    .toString("utf8")
    .replace(new RegExp(`<xs:include\\s+schemaLocation="${name}"\\s*/>`, "gu"), "")
