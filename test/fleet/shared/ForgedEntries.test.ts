/**
 * Entries in a fleet's Redis that somebody forged: they are rejected, or name only files inside the shared folder and
 * the output folder. `DUBWRIGHT_HOSTILE=20` tries 20 times as many.
 */
import { posix, win32 } from "node:path"
import { expect, test } from "vitest"
import { FastCheck as fc, Option, Schema } from "effect"
import { Casting } from "../../../src/domain/speech/Casting.ts"
import { makeUtterance } from "../../../src/domain/speech/Utterance.ts"
import { ProviderId, VoiceId } from "../../../src/domain/values/Ids.ts"
import {
  DeliverPayload,
  edition,
  isJobNews,
  readDeliverEnd as readEnd,
  SpeakPayload
} from "../../../src/fleet/shared/JobPayloads.ts"

const numRuns = 500 * Number(process.env["DUBWRIGHT_HOSTILE"] ?? 1)

const name = "0123456789abcdef".repeat(4)
const casting = Casting.make({ provider: ProviderId.make("provider_native"), voice: VoiceId.make("v") })
const honest = {
  edition,
  terms: name,
  dispatch: "first",
  record: {
    utterance: makeUtterance(casting, "text", "Hello.", ["Hello."]),
    label: "ep01 #1",
    state: "planned",
    take: 0,
    rerolls: 0,
    losses: 0,
    tasks: []
  },
  last: false
}
const files = ["ep01/ep01.wav", "ep01/clips/0001.wav"]
const delivered = { status: "delivered", digest: name, files, looks: 0 }

const segments = fc.constantFrom(
  "..",
  ".",
  "",
  "ep01",
  "ep01.wav",
  "..ep01",
  "etc",
  "C:",
  "~",
  "share:",
  "\u0000"
)
const paths = fc
  .tuple(fc.array(segments, { maxLength: 6 }), fc.constantFrom("/", "\\"))
  .map(([parts, separator]) => parts.join(separator))
const forgeries = fc.oneof(
  paths,
  fc.constantFrom(
    `../../${name}`,
    `${name}/../../x`,
    `/${name}`,
    `${name}\n`,
    name.toUpperCase(),
    name.slice(1)
  ),
  fc.jsonValue(),
  fc.constant(undefined)
)

/** Every place in a value, as a list of keys. */
const placesIn = (value: unknown): ReadonlyArray<ReadonlyArray<string>> =>
  typeof value === "object" && value !== null
    ? Object.entries(value).flatMap(([key, part]) => [[key], ...placesIn(part).map((rest) => [key, ...rest])])
    : []

/** Returns a copy of a value with another one in one place. */
const forged = (value: unknown, [key, ...rest]: ReadonlyArray<string>, by: unknown): unknown => {
  if (key === undefined) return by
  const entries = Object.entries(typeof value === "object" && value !== null ? value : {})
  const changed = entries.map(([each, part]) => [each, each === key ? forged(part, rest, by) : part])
  return Array.isArray(value) ? changed.map(([, part]) => part) : Object.fromEntries(changed)
}

const forgedIn = (value: object) =>
  fc.tuple(fc.constantFrom(...placesIn(value)), forgeries).map(([place, by]) => forged(value, place, by))

const readSpeak = Schema.decodeUnknownOption(SpeakPayload)
const readDeliver = Schema.decodeUnknownOption(DeliverPayload)
const isName = (text: string): boolean => /^[0-9a-f]{64}$/u.test(text) && text.length === 64

test("names of forged jobs never lead out of the shared folder", () => {
  expect(Option.isSome(readSpeak(honest))).toBe(true)
  const ways = new Set<boolean>()
  fc.assert(
    fc.property(forgedIn(honest), (entry) => {
      const read = readSpeak(entry)
      ways.add(Option.isSome(read))
      if (Option.isSome(read))
        expect([read.value.terms, read.value.record.utterance.key].every(isName)).toBe(true)
    }),
    { numRuns }
  )
  expect(ways).toEqual(new Set([true, false]))
  fc.assert(
    fc.property(forgeries, (plan) => {
      expect(Option.isSome(readDeliver({ plan }))).toBe(typeof plan === "string" && isName(plan))
    }),
    { numRuns }
  )
})

test("files of a forged delivery are inside the output folder", () => {
  expect(Option.isSome(readEnd(delivered))).toBe(true)
  const ways = new Set<boolean>()
  fc.assert(
    fc.property(fc.array(paths, { maxLength: 3 }), (files) => {
      const read = readEnd({ ...delivered, files })
      ways.add(Option.isSome(read))
      if (Option.isNone(read)) return
      for (const [{ join, relative }, out] of [
        [posix, "/work/out"],
        [win32, "D:\\work\\out"]
      ] as const) {
        for (const file of files) expect(relative(out, join(out, file)).split(/[\\/]/u)[0]).not.toBe("..")
      }
    }),
    { numRuns }
  )
  expect(ways).toEqual(new Set([true, false]))
})

test("an event or a result whose tag is an object that cannot be text is ignored", () => {
  expect(isJobNews({ _tag: { toString: 0 }, file: "ep01.mp4" })).toBe(false)
  expect(Option.isNone(readEnd({ ...delivered, status: { toString: 0 } }))).toBe(true)
})

test("a forged result or event of a job is read or ignored", () => {
  fc.assert(
    fc.property(forgedIn(delivered), forgedIn({ _tag: "Muxing", file: "ep01.mp4" }), (end, news) => {
      readEnd(end)
      isJobNews(news)
    }),
    { numRuns }
  )
})
