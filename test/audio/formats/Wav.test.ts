import { it } from "@effect/vitest"
import { Either, FastCheck as fc } from "effect"
import { describe, expect } from "vitest"
import { Frames, SampleRate } from "../../../src/domain/time/Units.ts"
import { finishedWav } from "../../../src/audio/formats/OutputConversion.ts"
import { fromInt16 } from "../../../src/audio/pcm/Pcm.ts"
import { closedWav, decodeWav, encodeWav16, readWav } from "../../../src/audio/formats/Wav.ts"
import { wavHeader } from "../../../src/audio/formats/WavHeader.ts"

const rate = SampleRate.make(24_000)
const samples = fromInt16(Int16Array.of(0, 1, -1, 32_767, -32_768, 1_234))

const reasonOf = (bytes: Uint8Array) =>
  Either.match(decodeWav(bytes), { onLeft: (fault) => fault.reason, onRight: () => "read" })

const joined = (...parts: ReadonlyArray<Uint8Array>) => Uint8Array.from(parts.flatMap((part) => [...part]))

const bytesOf = (view: Float32Array) => new Uint8Array(view.buffer, view.byteOffset, view.byteLength)

const u32 = (bytes: Uint8Array, at: number) =>
  new DataView(bytes.buffer, bytes.byteOffset).getUint32(at, true)

const withU32 = (bytes: Uint8Array, at: number, value: number) => {
  const copy = Uint8Array.from(bytes)
  new DataView(copy.buffer).setUint32(at, value, true)
  return copy
}

describe("a 16-bit WAV file", () => {
  it.prop(
    "round-trips bit for bit",
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

  it("carries its time reference, description and iXML", () => {
    const timeReference = Frames.make(5_000_000_000)
    const xml = "<BWFXML><NOTE>phà</NOTE></BWFXML>"
    for (const depth of [16, 24, 32] as const) {
      const file = Buffer.from(
        finishedWav({ rate, samples }, depth, {
          broadcast: { timeReference, description: "7 ANNA: pha's line", originationDate: "2026-05-04" },
          ixml: xml
        })
      )
      const wav = Either.getOrThrow(readWav(file))
      expect([wav.timeReference, wav.rate, wav.channels.length, wav.channels[0].length]).toEqual([
        timeReference,
        rate,
        1,
        samples.length
      ])
      expect(u32(file, 4)).toBe(file.length - 8)
      expect(file.length % 2).toBe(0)
      const bext = file.indexOf("bext")
      const field = (from: number, size: number) =>
        file.toString("latin1", bext + 8 + from, bext + 8 + from + size).replaceAll("\0", "")
      expect([field(0, 256), field(320, 10), field(330, 8)]).toEqual(["7 ANNA: pha's line", "2026-05-04", ""])
      const at = file.indexOf("iXML")
      expect(file.toString("utf8", at + 8, at + 8 + file.readUInt32LE(at + 4))).toBe(xml)
    }
  })

  it("truncates a description, and keeps it ASCII", () => {
    const description = `${"x".repeat(255)}é and more`
    const file = Buffer.from(
      wavHeader({
        rate,
        channels: 1,
        encoding: "int16",
        frames: 0,
        broadcast: { timeReference: Frames.make(0), description }
      })
    )
    const from = file.indexOf("bext") + 8
    expect(file.subarray(from, from + 256)).toEqual(Buffer.from(`${"x".repeat(255)}?`))
  })
})

/** Returns a chunk with its padding. */
const chunk = (name: string, body: Uint8Array) => {
  const head = Buffer.from(`${name}....`)
  head.writeUInt32LE(body.length, 4)
  return joined(head, body, new Uint8Array(body.length % 2))
}

/** Returns a fmt chunk: plain, or extensible with the format code in a GUID. */
const format = (code: number, bits: number, channels: number, extensible = false) => {
  const body = Buffer.alloc(extensible ? 40 : 16)
  body.writeUInt16LE(extensible ? 0xfffe : code, 0)
  body.writeUInt16LE(channels, 2)
  body.writeUInt32LE(rate, 4)
  body.writeUInt32LE((rate * channels * bits) / 8, 8)
  body.writeUInt16LE((channels * bits) / 8, 12)
  body.writeUInt16LE(bits, 14)
  if (extensible) body.writeUInt16LE(code, 24)
  return chunk("fmt ", body)
}

const riff = (...chunks: ReadonlyArray<Uint8Array>) => chunk("RIFF", joined(Buffer.from("WAVE"), ...chunks))

/** Encodes the samples as little-endian integers of `bits` bits. */
const integers = (bits: number) => {
  const bytes = Buffer.alloc((samples.length * bits) / 8)
  const top = 2 ** (bits - 1)
  samples.forEach((sample, i) => bytes.writeIntLE(Math.min(top - 1, sample * top), (i * bits) / 8, bits / 8))
  return bytes
}

describe("a WAV file of another format", () => {
  it("of 24 or 32 bits is decoded", () => {
    for (const bits of [24, 32])
      expect(decodeWav(riff(format(1, bits, 1), chunk("data", integers(bits))))).toEqual(
        Either.right({ rate, samples })
      )
  })

  it("of 8 bits, which are unsigned, is decoded", () => {
    const read = decodeWav(riff(format(1, 8, 1), chunk("data", Uint8Array.of(0, 64, 128, 192))))
    expect(read).toEqual(Either.right({ rate, samples: Float32Array.of(-1, -0.5, 0, 0.5) }))
  })

  it("of A-law and µ-law is decoded, also if its sizes were left open", () => {
    const decoded = (code: number, ...bytes: ReadonlyArray<number>) => {
      const file = riff(format(code, 8, 1), chunk("data", Uint8Array.from(bytes)))
      return [file, withU32(withU32(file, 4, 0xffff_ffff), 40, 0xffff_ffff)].map((one) =>
        Array.from(Either.getOrThrow(decodeWav(one)).samples, (sample) => sample * 32_768)
      )
    }
    const aLaw = [-8, 8, -32_256, 32_256, -264, 264]
    expect(decoded(6, 0x55, 0xd5, 0x2a, 0xaa, 0x45, 0xc5)).toEqual([aLaw, aLaw])
    const muLaw = [-32_124, 32_124, 0, -8, 132, -132]
    expect(decoded(7, 0x00, 0x80, 0xff, 0x7e, 0xef, 0x6f)).toEqual([muLaw, muLaw])
  })

  it("of floats is decoded, and its fact chunk states the frames", () => {
    const header = wavHeader({ rate, channels: 1, encoding: "float32", frames: samples.length })
    const file = joined(header, bytesOf(samples))
    expect(decodeWav(file)).toEqual(Either.right({ rate, samples }))
    expect(u32(header, 4)).toBe(file.length - 8)
    expect(u32(header, header.length - 12)).toBe(samples.length)
  })

  it("of two channels is averaged by decodeWav and split by readWav", () => {
    const header = wavHeader({ rate, channels: 2, encoding: "float32", frames: 3 })
    const file = joined(header, bytesOf(Float32Array.of(1, 0, 0.5, -0.5, 0, 0.25)))
    expect([...Either.getOrThrow(decodeWav(file)).samples]).toEqual([0.5, 0, 0.125])
    expect(Either.getOrThrow(readWav(file)).channels.map((channel) => [...channel])).toEqual([
      [1, 0.5, 0],
      [0, -0.5, 0.25]
    ])
  })

  it("with an extensible format and odd-sized chunks around its samples is decoded", () => {
    const file = riff(
      chunk("LIST", Uint8Array.of(1, 2, 3)),
      format(1, 24, 6, true),
      chunk("data", Uint8Array.of(...new Uint8Array(15), 0, 0, 64, 9)),
      chunk("id3 ", Uint8Array.of(7))
    )
    const channels = Either.getOrThrow(readWav(file)).channels.map((channel) => [...channel])
    expect(channels).toEqual([[0], [0], [0], [0], [0], [0.5]])
  })
})

describe("a file past 4 GiB", () => {
  const options = {
    rate: SampleRate.make(48_000),
    channels: 2 as const,
    encoding: "int16" as const,
    frames: 1_728_000_000
  }

  it("is RF64 with 64-bit sizes", () => {
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

  it.each([0, 0xffff_ffff, 0x7fff_f000])(
    "with the size %i is cut to its last whole frame when closed",
    (size) => {
      const open = withU32(
        withU32(joined(file, new Uint8Array(1)), 4, size === 0 ? 0 : 0xffff_ffff),
        40,
        size
      )
      expect(Buffer.concat([...(closedWav(open) ?? [])])).toEqual(Buffer.from(file))
    }
  )

  it("is distinguished from one that states its sizes, and from RF64", () => {
    const big = { rate, channels: 1, encoding: "int16", frames: 3_000_000_000 } as const
    expect(closedWav(file)).toBeUndefined()
    expect(
      closedWav(joined(withU32(withU32(wavHeader(big), 28, 12), 32, 0), file.subarray(44)))
    ).toBeUndefined()
    expect(closedWav(new TextEncoder().encode("RIFF, and no more"))).toBeUndefined()
  })

  it("with no samples is empty", () => {
    expect(
      Either.getOrThrow(decodeWav(encodeWav16({ rate, samples: new Float32Array(0) }))).samples.length
    ).toBe(0)
  })
})

describe("bytes that are not a usable WAV file", () => {
  const file = encodeWav16({ rate, samples })

  it("are rejected with a reason", () => {
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
    "never throw, whatever bytes are changed",
    [fc.array(fc.tuple(fc.nat(55), fc.nat(255)), { maxLength: 8 }), fc.nat(56)],
    ([changes, end]) => {
      const broken = Uint8Array.from(file)
      for (const [at, value] of changes) broken[at] = value
      const read = decodeWav(broken.subarray(0, end))
      expect(Either.isLeft(read) || read.right.samples.length <= 44).toBe(true)
    }
  )
})

describe("a WAV header", () => {
  it("of 24 bits is extensible, maps its channels, and counts the padding after odd-sized samples", () => {
    const header = wavHeader({ rate, channels: 1, encoding: "int24", frames: 3 })
    const file = joined(header, Uint8Array.of(0, 0, 64, 0, 0, 192, 255, 255, 127, 0))
    expect([...Either.getOrThrow(decodeWav(file)).samples]).toEqual([0.5, -0.5, 8_388_607 / 8_388_608])
    expect(u32(header, 4)).toBe(file.length - 8)
    expect(u32(header, header.length - 4)).toBe(9)
  })

  it("carries tags before the samples, each padded to an even length", () => {
    const tags = { title: "Tiếng", artist: "ab", comment: "", language: "vie" }
    const header = wavHeader({ rate, channels: 1, encoding: "int16", frames: 3, tags })
    const list = Buffer.from(header).subarray(36, -8)
    expect(list.subarray(0, 4).toString()).toBe("LIST")
    expect(list.readUInt32LE(4)).toBe(list.length - 8)
    expect(list.subarray(8).toString()).toBe(
      "INFOINAM\u0008\0\0\0Tiếng\0IART\u0003\0\0\0ab\0\0ILNG\u0004\0\0\0vie\0"
    )
  })
})
