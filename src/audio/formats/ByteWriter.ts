/** Sequential little-endian byte writer for file headers. */

/** Fills a buffer of a fixed size from its beginning, little-endian. */
export class ByteWriter {
  private readonly view: DataView
  private at = 0

  constructor(size: number) {
    this.view = new DataView(new ArrayBuffer(size))
  }

  /** Writes four ASCII characters. */
  tag(name: string): void {
    this.text(name, 4)
  }

  /** Writes `size` bytes of ASCII, zero-padded; other characters become `?`, excess ones are dropped. */
  text(value: string, size: number): void {
    for (let i = 0; i < size; i++) {
      const code = i < value.length ? value.charCodeAt(i) : 0
      this.view.setUint8(this.at++, code > 126 ? 63 : code)
    }
  }

  /** Writes an unsigned 16-bit integer. */
  u16(value: number): void {
    this.view.setUint16(this.at, value, true)
    this.at += 2
  }

  /** Writes an unsigned 32-bit integer. */
  u32(value: number): void {
    this.view.setUint32(this.at, value, true)
    this.at += 4
  }

  /** Writes an unsigned 64-bit integer, exact up to 2⁵³. */
  u64(value: number): void {
    this.u32(value % 4_294_967_296)
    this.u32(Math.floor(value / 4_294_967_296))
  }

  /** Writes bytes unchanged. */
  bytes(bytes: Uint8Array): void {
    new Uint8Array(this.view.buffer).set(bytes, this.at)
    this.at += bytes.length
  }

  /** Returns the whole buffer; bytes not yet written are zero. */
  done(): Uint8Array {
    return new Uint8Array(this.view.buffer)
  }
}

/** Whether this machine is little-endian, like WAV files. */
export const littleEndian = new Uint8Array(new Uint16Array([1]).buffer)[0] === 1
