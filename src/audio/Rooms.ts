/** Arrays that are used again, for samples that are needed for a while only. */

/** Lends arrays until a position in time. */
export class Rooms {
  private spare: Array<Float32Array> = []
  private lent: Array<Float32Array> = []
  private held: Array<{ readonly room: Float32Array; readonly until: number }> = []

  /** So many samples, whatever stands in them. */
  readonly take = (length: number): Float32Array => {
    const at = this.spare.findIndex((room) => room.length >= length)
    // A power of two, so that few sizes serve all clips.
    const room =
      at < 0 ? new Float32Array(2 ** Math.ceil(Math.log2(Math.max(1, length)))) : this.spare.splice(at, 1)[0]!
    this.lent.push(room)
    return room.subarray(0, length)
  }

  /** What was taken since the last call is needed until so far. */
  hold(until: number): void {
    for (const room of this.lent) this.held.push({ room, until })
    this.lent = []
  }

  /** Nothing is needed any more. */
  freeAll(): void {
    this.hold(-Infinity)
    this.free(Infinity)
  }

  /** Nothing before `position` is needed any more. */
  free(position: number): void {
    for (const { room, until } of this.held) if (until <= position) this.spare.push(room)
    this.held = this.held.filter(({ until }) => until > position)
  }
}
