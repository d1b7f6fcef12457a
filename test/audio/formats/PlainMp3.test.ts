import { expect, test } from "vitest"
import { plainMp3, silentFrames } from "../../../src/audio/formats/PlainMp3.ts"

/** A frame of 24 kHz mono at 64 kbit/s: 192 bytes, 576 samples. `side` is the beginning of its side information. */
const frame = (...side: ReadonlyArray<number>): ReadonlyArray<number> => {
  const bytes = [0xff, 0xf3, 0x84, 0xc0, ...side]
  return [...bytes, ...Array.from({ length: 192 - bytes.length }, () => 0)]
}
const frames = (count: number): ReadonlyArray<number> => Array.from({ length: count }, () => frame()).flat()
const file = (...parts: ReadonlyArray<ReadonlyArray<number>>) => plainMp3(Uint8Array.from(parts.flat()))
const letters = (text: string): ReadonlyArray<number> => Array.from(text, (letter) => letter.charCodeAt(0))

/** A silent frame with a Xing/Info header: the number of frames, and the delay and padding around the sound. */
const note = (
  count: number,
  { delay = 576, padding = 1_000, encoder = "LAME3.100", name = "Info" } = {}
): ReadonlyArray<number> => {
  const text = [
    ...letters(name),
    0,
    0,
    0,
    1,
    0,
    0,
    0,
    count,
    ...letters(encoder),
    ...Array.from({ length: 12 }, () => 0)
  ]
  return frame(
    ...Array.from({ length: 9 }, () => 0),
    ...text,
    delay >> 4,
    ((delay & 15) << 4) | (padding >> 8),
    padding & 255
  )
}

test("a file of frames only is accepted, with and without tags around it", () => {
  const bare = {
    rate: 24_000,
    channels: 1,
    frameSamples: 576,
    frames: 20,
    from: 0,
    to: 3_840,
    skip: 0,
    length: 11_520
  }
  expect(file(frames(20))).toEqual(bare)
  const tag = [...letters("ID3"), 4, 0, 0, 0, 0, 0, 6, 1, 2, 3, 4, 5, 6]
  const trailer = [...letters("TAG"), ...Array.from({ length: 125 }, () => 0)]
  expect(file(tag, frames(20), trailer)).toEqual({ ...bare, from: 16, to: 3_856 })
})

test("encoder delay and padding are removed", () => {
  expect(file(note(20), frames(20))).toMatchObject({
    from: 192,
    frames: 20,
    skip: 1_105,
    length: 20 * 576 - 1_105 - 471
  })
  // Padding below the decoder delay: nothing is cut off the end.
  expect(file(note(20, { padding: 300 }), frames(20))).toMatchObject({ length: 20 * 576 - 1_105 })
})

test("a file with any irregularity is rejected", () => {
  const odd = {
    nothing: [[]],
    "too few frames": [frames(7)],
    "bytes before": [[0, 0], frames(20)],
    "bytes between": [frames(10), [0], frames(10)],
    "bytes behind": [frames(20), [1, 2, 3]],
    "an incomplete last frame": [frames(20).slice(0, -1)],
    "another rate": [frames(10), frame().with(2, 0x80), frames(10)],
    "a checksum": [frames(10), frame().with(1, 0xf2), frames(10)],
    "fewer frames than stated": [note(21), frames(20)],
    "more frames than stated": [note(19), frames(20)],
    "an unknown encoder's tag": [note(20, { encoder: "Gogo 3.13" }), frames(20)],
    "another kind of header": [
      [...frame().slice(0, 36), ...letters("VBRI"), ...frame().slice(40)],
      frames(20)
    ],
    "nothing but padding": [note(20, { padding: 4_095, delay: 4_095 }), frames(13)],
    "data of missing frames": [frame(10), frames(19)],
    "more data than the frames hold": [frames(10), frame(0, 0x7f, 0xff), frames(10)],
    "more values than a granule holds": [frames(10), frame(0, 0, 0x07, 0xff), frames(10)]
  }
  const plain = Object.entries(odd).flatMap(([name, parts]) => (file(...parts) === undefined ? [] : [name]))
  expect(plain).toEqual([])
})

test("a frame may use what earlier frames left in the bit reservoir, but no more", () => {
  expect(file(frames(10), frame(179), frames(10))).toBeDefined()
  expect(file(frames(1), frame(180), frames(18))).toBeUndefined()
})

test("silent frames are of the file's kind", () => {
  const sound = Uint8Array.from(frames(10)).fill(7, 20, 190)
  sound[2] = 0x86
  const whole = Uint8Array.from([...sound.subarray(0, 192), 7, ...frames(9)])
  const plain = plainMp3(whole)
  if (plain === undefined) throw new Error("the file was rejected")
  expect(Array.from(silentFrames(whole, plain, 3))).toEqual(frames(3))
})
