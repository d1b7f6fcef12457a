import { it } from "@effect/vitest"
import { Either, FastCheck as fc } from "effect"
import { describe, expect } from "vitest"
import { Frames, SampleRate } from "../../src/domain/Units.ts"
import { fromInt16 } from "../../src/audio/Pcm.ts"
import { decodeWav, encodeWav16, int24BytesOf, readWav, wavHeader, wavPadding } from "../../src/audio/Wav.ts"

const rate = SampleRate.make(24_000)
const samples = fromInt16(Int16Array.of(0, 1, -1, 32_767, -32_768, 1_234))

const reasonOf = (bytes: Uint8Array) =>
  Either.match(decodeWav(bytes), { onLeft: (fault) => fault.reason, onRight: () => "read" })

const joined = (...parts: ReadonlyArray<Uint8Array>) => Uint8Array.from(parts.flatMap((part) => [...part]))

const bytesOf = (view: Float32Array | Int32Array | Uint8Array) =>
  new Uint8Array(view.buffer, view.byteOffset, view.byteLength)

const u32 = (bytes: Uint8Array, at: number) =>
  new DataView(bytes.buffer, bytes.byteOffset).getUint32(at, true)

const withU32 = (bytes: Uint8Array, at: number, value: number) => {
  const copy = Uint8Array.from(bytes)
  new DataView(copy.buffer).setUint32(at, value, true)
  return copy
}

describe("a WAV file of 16 bit", () => {
  it.prop(
    "comes back to the bit",
    [fc.int16Array(), fc.integer({ min: 8_000, max: 192_000 })],
    ([values, hertz]) => {
      const pcm = { rate: SampleRate.make(hertz), samples: fromInt16(values) }
      expect(decodeWav(encodeWav16(pcm))).toEqual(Either.right(pcm))
    }
  )

  it("is 44 bytes longer than its samples", () => {
    const file = encodeWav16({ rate, samples })
    expect(file.length).toBe(44 + 12)
    expect(u32(file, 4)).toBe(file.length - 8)
    expect(u32(file, 40)).toBe(12)
  })

  it("carries its place on the timeline", () => {
    const timeReference = Frames.make(5_000_000_000)
    const file = encodeWav16(
      { rate, samples },
      { timeReference, description: "ANNA’s line", originator: "x" }
    )
    expect(Either.getOrThrow(readWav(file)).timeReference).toBe(timeReference)
    expect(Either.getOrThrow(decodeWav(file)).samples).toEqual(samples)
    expect(Buffer.from(file).includes("ANNA?s line")).toBe(true)
    expect(u32(file, 4)).toBe(file.length - 8)
  })
})

describe("a WAV file of another kind", () => {
  const headerOf = (encoding: "int24" | "int32" | "float32", channels = 1) =>
    wavHeader({ rate, channels, encoding, frames: samples.length / channels })

  it("of 24 bit is read", () => {
    const read = decodeWav(joined(headerOf("int24"), int24BytesOf(samples)))
    expect(read).toEqual(Either.right({ rate, samples }))
  })

  it("of 32 bit is read", () => {
    const values = Int32Array.from(samples, (sample) => Math.min(2_147_483_647, sample * 2_147_483_648))
    expect(decodeWav(joined(headerOf("int32"), bytesOf(values)))).toEqual(Either.right({ rate, samples }))
  })

  it("of floats is read, its fact chunk telling the frames", () => {
    const header = headerOf("float32")
    expect(decodeWav(joined(header, bytesOf(samples)))).toEqual(Either.right({ rate, samples }))
    expect(u32(header, header.length - 12)).toBe(samples.length)
  })

  it("of two channels is averaged, and its channels are told apart", () => {
    const file = joined(headerOf("float32", 2), bytesOf(Float32Array.of(1, 0, 0.5, -0.5, 0, 0.25)))
    expect([...Either.getOrThrow(decodeWav(file)).samples]).toEqual([0.5, 0, 0.125])
    expect(Either.getOrThrow(readWav(file)).channels.map((channel) => [...channel])).toEqual([
      [1, 0.5, 0],
      [0, -0.5, 0.25]
    ])
  })

  it("of six channels has an extensible header that is read again", () => {
    const header = wavHeader({ rate, channels: 6, encoding: "int24", frames: 1 })
    expect(Either.getOrThrow(readWav(joined(header, new Uint8Array(18)))).channels.length).toBe(6)
  })

  it("of an odd number of bytes is padded", () => {
    expect(wavPadding({ rate, channels: 1, encoding: "int24", frames: 3 }).length).toBe(1)
    expect(wavPadding({ rate, channels: 1, encoding: "int24", frames: 2 }).length).toBe(0)
    const header = wavHeader({ rate, channels: 1, encoding: "int24", frames: 3 })
    expect(u32(header, 4)).toBe(header.length - 8 + 9 + 1)
    expect(u32(header, header.length - 4)).toBe(9)
  })
})

describe("a file past 4 GiB", () => {
  const options = {
    rate: SampleRate.make(48_000),
    channels: 2,
    encoding: "int16" as const,
    frames: 1_728_000_000
  }

  it("is RF64 with its sizes in 64 bits", () => {
    const header = wavHeader(options)
    expect(Buffer.from(header.subarray(0, 4)).toString()).toBe("RF64")
    expect(u32(header, 4)).toBe(0xffff_ffff)
    expect(Buffer.from(header.subarray(12, 16)).toString()).toBe("ds64")
    const data = 1_728_000_000 * 4
    const view = new DataView(header.buffer)
    expect(view.getBigUint64(20, true)).toBe(BigInt(header.length - 8 + data))
    expect(view.getBigUint64(28, true)).toBe(BigInt(data))
    expect(view.getBigUint64(36, true)).toBe(1_728_000_000n)
    expect(u32(header, header.length - 4)).toBe(0xffff_ffff)
  })

  it("is read by the size in its ds64 chunk", () => {
    const header = withU32(withU32(wavHeader(options), 28, 12), 32, 0)
    const file = joined(header, encodeWav16({ rate, samples }).subarray(44))
    expect(Either.getOrThrow(decodeWav(joined(file, new Uint8Array(50)))).samples.length).toBe(3)
  })

  it("stays RIFF just below", () => {
    const header = wavHeader({ rate, channels: 1, encoding: "int16", frames: 2_147_483_000 })
    expect(Buffer.from(header.subarray(0, 4)).toString()).toBe("RIFF")
  })
})

describe("a file that a streaming writer left open", () => {
  const file = encodeWav16({ rate, samples })

  it.each([0, 0xffff_ffff, 0x7fff_ffff, 0xffff_ffff - 36])("with the size %i is read to its end", (size) => {
    const open = withU32(withU32(file, 4, size === 0 ? 0 : 0xffff_ffff), 40, size)
    expect(decodeWav(open)).toEqual(Either.right({ rate, samples }))
  })

  it("but no samples is empty", () => {
    expect(
      Either.getOrThrow(decodeWav(encodeWav16({ rate, samples: new Float32Array(0) }))).samples.length
    ).toBe(0)
  })
})

describe("bytes that are no usable WAV file", () => {
  const file = encodeWav16({ rate, samples })

  it("are told apart", () => {
    expect(reasonOf(new Uint8Array(0))).toBe("not-wav")
    expect(reasonOf(new TextEncoder().encode("<html>not here</html>"))).toBe("not-wav")
    expect(reasonOf(file.subarray(0, 50))).toBe("truncated")
    expect(reasonOf(file.subarray(0, 30))).toBe("truncated")
    expect(reasonOf(file.subarray(0, 36))).toBe("no-data")
    expect(reasonOf(joined(file.subarray(0, 12), file.subarray(36)))).toBe("no-format")
    expect(reasonOf(withU32(file, 20, 0x0001_0011))).toBe("unsupported")
    expect(reasonOf(withU32(file, 24, 400))).toBe("unsupported")
  })

  it.prop(
    "never throw, whatever is changed",
    [fc.array(fc.tuple(fc.nat(55), fc.nat(255)), { maxLength: 8 }), fc.nat(56)],
    ([changes, end]) => {
      const broken = Uint8Array.from(file)
      for (const [at, value] of changes) broken[at] = value
      const read = decodeWav(broken.subarray(0, end))
      expect(Either.isLeft(read) || read.right.samples.length <= 44).toBe(true)
    }
  )
})
