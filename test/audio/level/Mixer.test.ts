import { it } from "@effect/vitest"
import { FastCheck as fc } from "effect"
import { describe, expect } from "vitest"
import { Frames } from "../../../src/domain/time/Units.ts"
import { type MixBlock, type MixEvent, Mixer, type MixPlan, panGain } from "../../../src/audio/level/Mixer.ts"
import { randomOf } from "../signals.ts"

const at = (value: number) => Frames.make(value)

/** Reference mix: computes every sample of every output separately, events in order, each sum rounded to 32 bits. */
const reference = (events: ReadonlyArray<MixEvent>, plan: MixPlan): ReadonlyArray<Float32Array> => {
  const sorted = [...events].sort((a, b) => a.order - b.order)
  return Array.from({ length: plan.stems + 1 }, (_, output) => {
    const result = new Float32Array(plan.length * plan.channels)
    for (let frame = 0; frame < plan.length; frame++)
      for (let channel = 0; channel < plan.channels; channel++) {
        let sum = 0
        for (const event of sorted) {
          const sample = event.samples[frame - event.at]
          if (sample === undefined || (output > 0 && event.stem !== output - 1)) continue
          const gain = plan.channels === 1 ? event.gain : event.gain * panGain(event.pan, channel)
          sum = Math.fround(sum + sample * gain)
        }
        result[frame * plan.channels + channel] = sum
      }
    return result
  })
}

/** Mixes events in order of their start, each added just before the block in which it begins. */
const mixed = function* (
  events: ReadonlyArray<MixEvent>,
  plan: MixPlan,
  block = 16_384
): Generator<MixBlock> {
  const mixer = new Mixer(plan)
  let next = 0
  while (mixer.position < plan.length) {
    for (
      let event = events[next];
      event !== undefined && event.at < mixer.position + block;
      event = events[++next]
    )
      mixer.add(event)
    yield mixer.render(block)
  }
}

const gathered = (blocks: Iterable<MixBlock>, outputs: number): ReadonlyArray<Float32Array> => {
  const pieces = Array.from({ length: outputs }, (): Array<number> => [])
  for (const block of blocks) block.forEach((samples, output) => pieces[output]?.push(...samples))
  return pieces.map((piece) => Float32Array.from(piece))
}

const arbitraryMix = fc.record({
  seed: fc.integer({ min: 1, max: 1_000_000 }),
  length: fc.integer({ min: 0, max: 600 }),
  channels: fc.constantFrom<1 | 2>(1, 2),
  stems: fc.integer({ min: 0, max: 3 }),
  block: fc.integer({ min: 1, max: 700 }),
  clips: fc.array(
    fc.record({
      // With few positions, many events begin together.
      at: fc.oneof(fc.constantFrom(0, 100, 599), fc.integer({ min: 0, max: 650 })),
      size: fc.integer({ min: 0, max: 300 }),
      gain: fc.double({ min: -2, max: 2, noNaN: true }),
      pan: fc.double({ min: -1, max: 1, noNaN: true }),
      stem: fc.option(fc.nat(2), { nil: undefined })
    }),
    { maxLength: 12 }
  )
})

describe("the mix", () => {
  it.prop(
    "equals a slow reference bit for bit, whatever the block size and the order of ties",
    [arbitraryMix],
    ([given]) => {
      const random = randomOf(given.seed)
      const events = given.clips.map((clip, order): MixEvent => ({
        at: at(clip.at),
        samples: Float32Array.from({ length: clip.size }, () => 2 * random() - 1),
        gain: clip.gain,
        pan: clip.pan,
        order,
        ...(clip.stem === undefined ? {} : { stem: clip.stem })
      }))
      const plan: MixPlan = { length: at(given.length), channels: given.channels, stems: given.stems }
      const expected = reference(events, plan)
      const byStart = [...events].sort((a, b) => a.at - b.at)
      const shuffled = events
        .map((event) => ({ event, key: random() }))
        .sort((a, b) => a.event.at - b.event.at || a.key - b.key)
        .map(({ event }) => event)
      expect(gathered(mixed(byStart, plan, given.block), given.stems + 1)).toEqual(expected)
      expect(gathered(mixed(shuffled, plan), given.stems + 1)).toEqual(expected)
    }
  )

  it("rejects an event whose time has passed", () => {
    const mixer = new Mixer({ length: at(100), channels: 1, stems: 0 })
    mixer.render(10)
    const late = { at: at(9), samples: new Float32Array(1), gain: 1, pan: 0, order: 0 }
    expect(() => mixer.add(late)).toThrow(RangeError)
  })

  it("pans with constant power", () => {
    for (const pan of [-1, -0.3, 0, 0.7, 1])
      expect(panGain(pan, 0) ** 2 + panGain(pan, 1) ** 2).toBeCloseTo(1, 12)
    expect(panGain(-1, 1)).toBeCloseTo(0, 12)
    expect(panGain(1, 1)).toBe(1)
    expect(panGain(0, 0)).toBeCloseTo(panGain(0, 1), 12)
  })
})
