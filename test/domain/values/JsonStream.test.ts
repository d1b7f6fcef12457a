import { describe, expect, it } from "@effect/vitest"
import { FastCheck } from "effect"
import { streamJson } from "../../../src/domain/values/JsonStream.ts"

const value = FastCheck.oneof(FastCheck.jsonValue(), FastCheck.constant(undefined))

describe("streamed JSON", () => {
  it.prop(
    "equals JSON.stringify: with two spaces plus a line break, or compact",
    [FastCheck.dictionary(FastCheck.string(), FastCheck.oneof(value, FastCheck.array(value)))],
    ([object]) => {
      expect([...streamJson(object)].join("")).toBe(`${JSON.stringify(object, undefined, 2)}\n`)
      expect([...streamJson(object, 0)].join("")).toBe(JSON.stringify(object))
    }
  )

  it("yields a list element by element", () => {
    expect([...streamJson({ job: "a", cues: [{ index: 1 }, { index: 2 }] })]).toEqual([
      '{\n  "job": ',
      '"a"',
      ',\n  "cues": ',
      '[\n    {\n      "index": 1\n    }',
      ',\n    {\n      "index": 2\n    }',
      "\n  ]",
      "\n}\n"
    ])
  })
})
