/** Bytes of a file's header, written in order. */

/** Fills so many bytes from their beginning, little-endian. */
export class ByteWriter {
  private readonly view: DataView
  private at = 0

  constructor(size: number) {
    this.view = new DataView(new ArrayBuffer(size))
  }

  /** Four ASCII characters. */
  tag(name: string): void {
    this.text(name, 4)
  }

  /** At most `size` ASCII characters, zeros behind them; other characters become `?`. */
  text(value: string, size: number): void {
    for (let i = 0; i < size; i++) {
      const code = i < value.length ? value.charCodeAt(i) : 0
      this.view.setUint8(this.at++, code > 126 ? 63 : code)
    }
  }

  /** As many characters as fit into `size` bytes of UTF-8, zeros behind them. */
  utf8(value: string, size: number): void {
    new TextEncoder().encodeInto(value, new Uint8Array(this.view.buffer, this.at, size))
    this.at += size
  }

  /** An unsigned integer of 16 bit. */
  u16(value: number): void {
    this.view.setUint16(this.at, value, true)
    this.at += 2
  }

  /** An unsigned integer of 32 bit. */
  u32(value: number): void {
    this.view.setUint32(this.at, value, true)
    this.at += 4
  }

  /** An unsigned integer of 64 bit, exact up to 2⁵³. */
  u64(value: number): void {
    this.u32(value % 4_294_967_296)
    this.u32(Math.floor(value / 4_294_967_296))
  }

  /** Bytes as they are. */
  bytes(bytes: Uint8Array): void {
    new Uint8Array(this.view.buffer).set(bytes, this.at)
    this.at += bytes.length
  }

  /** All bytes, what was not written as zeros. */
  done(): Uint8Array {
    return new Uint8Array(this.view.buffer)
  }
}

/** Whether this machine's typed arrays have the byte order of WAV files. */
export const littleEndian = new Uint8Array(new Uint16Array([1]).buffer)[0] === 1
