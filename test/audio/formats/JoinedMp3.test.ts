import { expect, test } from "vitest"
import { joinedMp3 } from "../../../src/audio/formats/JoinedMp3.ts"

const bytesOf = (...parts: ReadonlyArray<Uint8Array>): Uint8Array => new Uint8Array(Buffer.concat(parts))
const text = (words: string): Uint8Array => Buffer.from(words, "latin1")

/** Frames of 24 kHz mono at 64 kbit/s, of 192 bytes, or of 22.05 kHz, of 208 bytes. Each has its number inside. */
const frames = (count: number, rate: 24_000 | 22_050 = 24_000): Uint8Array =>
  bytesOf(
    ...Array.from({ length: count }, (_, place) => {
      const frame = new Uint8Array(rate === 24_000 ? 192 : 208)
      frame.set([0xff, 0xf3, rate === 24_000 ? 0x84 : 0x80, 0xc0])
      return frame.fill(place, 50)
    })
  )

/** A frame with a Xing header that states this number of frames. */
const xing = (count: number): Uint8Array => {
  const frame = frames(1)
  frame.set([...text("Xing"), 0, 0, 0, 1, 0, 0, 0, count], 4 + 9)
  return frame
}

const id3 = bytesOf(text("ID3"), Uint8Array.of(4, 0, 0, 0, 0, 1, 10), new Uint8Array(138).fill(0xff))
const id3v1 = bytesOf(text("TAG"), new Uint8Array(125).fill(0xff))
const noise = (length: number) => Uint8Array.from({ length }, (_, at) => 128 + ((at * 37) % 120))

test("only the frames of a joined MP3 are kept", () => {
  const file = frames(10)
  const joints: Readonly<Record<string, Uint8Array>> = {
    "a tag in the middle": bytesOf(file, id3, file),
    "an old tag in the middle": bytesOf(file, id3v1, file),
    "a tag of another kind": bytesOf(file, text("APETAGEX"), noise(100), file),
    "zeros in the middle": bytesOf(file, new Uint8Array(3_000), file),
    "text in the middle": bytesOf(file, text("\r\n--part--\r\nContent-Type: audio/mpeg\r\n\r\n"), file),
    "zeros before a tag": bytesOf(file, new Uint8Array(3_000), id3, file),
    "text before a tag": bytesOf(file, text("\r\n--part--\r\n\r\n"), id3, file),
    "text after the end": bytesOf(id3, file, file, text('{"status": "done"}')),
    "a first file with a header": bytesOf(xing(10), file, id3, file),
    "a frame cut off at the joint": bytesOf(file, file.subarray(0, 100), file),
    "a file cut off at its beginning": bytesOf(file.subarray(100, 192), file, id3, file)
  }
  for (const [name, bytes] of Object.entries(joints))
    expect({ name, kept: joinedMp3(bytes) }).toEqual({ name, kept: bytesOf(file, file) })
  const shorter = file.subarray(0, -292)
  expect(joinedMp3(bytesOf(xing(10), shorter, file))).toEqual(bytesOf(file.subarray(0, -384), file))
  // A header in the middle is a silent frame.
  expect(joinedMp3(bytesOf(xing(10), file, xing(10), file))).toEqual(bytesOf(file, xing(10), file))
  expect(joinedMp3(bytesOf(file, id3, frames(5, 22_050)))).toEqual(bytesOf(file, frames(5, 22_050)))
})

test("a file that was not joined, or is damaged, stays as it is", () => {
  const file = frames(100)
  const others: Readonly<Record<string, Uint8Array>> = {
    "an ordinary file": bytesOf(id3, xing(100), file, id3v1),
    "bare frames": file,
    "a hole": bytesOf(file, noise(1_500), file),
    "many cut frames": bytesOf(...Array.from({ length: 9 }, () => bytesOf(frames(8), noise(150)))),
    "a file that is cut off": bytesOf(file, id3, file.subarray(0, 1_000)),
    "a first file that lacks frames": bytesOf(xing(100), frames(40), id3, xing(100), file),
    "a second file that lacks frames": bytesOf(xing(100), file, id3, xing(100), frames(40)),
    "no MP3": text('{"error": "expired"}'),
    nothing: new Uint8Array(0)
  }
  for (const [name, bytes] of Object.entries(others))
    expect({ name, kept: joinedMp3(bytes) }).toEqual({ name, kept: undefined })
})

test("millions of bytes of other formats, and very many tags, take time in proportion to their number", () => {
  const tag = text("ID3\u0003\u0000\u0000\u0000\u0000\u0000\u0000")
  const before = process.cpuUsage().user
  expect(joinedMp3(bytesOf(...Array.from({ length: 100_000 }, () => tag)))).toBeUndefined()
  expect(joinedMp3(noise(4_000_000))).toBeUndefined()
  // 200 ms on an idle machine. Each byte as a text of five took 4 s, and tags within tags overflowed the stack.
  expect((process.cpuUsage().user - before) / 1000).toBeLessThan(2_000)
})
