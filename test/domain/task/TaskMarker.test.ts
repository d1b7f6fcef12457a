import { expect, it } from "@effect/vitest"
import { FastCheck as fc } from "effect"
import { UtteranceKey } from "../../../src/domain/values/Ids.ts"
import { labelWithMarker, markerOf, markersIn, maxLabel } from "../../../src/domain/task/TaskMarker.ts"

const key = UtteranceKey.make("3f9a1c2b7e04".padEnd(64, "0"))

it("is short, and differs between takes", () => {
  expect([1, 2, 12].map((take) => markerOf(key, take))).toEqual([
    "dw-3f9a1c2b7e04",
    "dw-3f9a1c2b7e04-2",
    "dw-3f9a1c2b7e04-12"
  ])
})

it("comes before the readable label", () => {
  expect(labelWithMarker("ep01 #12\nAnna", markerOf(key, 1))).toBe("dw-3f9a1c2b7e04 ep01 #12 Anna")
  expect(labelWithMarker(" ", markerOf(key, 1))).toBe("dw-3f9a1c2b7e04")
})

it("is found only as a whole", () => {
  const found = [
    "x ·dw-3f9a1c2b7e04-2",
    "dw-3f9a1c2b7e04",
    "dw-3f9a1c2b7e0",
    "dw-3f9a1c2b7e04a",
    "dw-3f9a1c2b7e04-",
    "Dw"
  ]
  expect(found.map(markersIn)).toEqual([["dw-3f9a1c2b7e04-2"], ["dw-3f9a1c2b7e04"], [], [], [], []])
})

it("is found in a label that the service truncated", () => {
  const sent = labelWithMarker("the-harbour-at-night-vi #1204", markerOf(key, 2))
  expect(markersIn(sent.slice(0, 20))).toEqual([markerOf(key, 2)])
})

it.prop(
  "is found in every label, and no label is too long",
  { label: fc.string({ unit: "binary", maxLength: 300 }), take: fc.integer({ min: 1, max: 99 }) },
  ({ label, take }) => {
    const mark = markerOf(key, take)
    const sent = labelWithMarker(label, mark)
    expect(sent.length).toBeLessThanOrEqual(maxLabel)
    expect(markersIn(sent)).toContain(mark)
  }
)
