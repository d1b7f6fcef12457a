/** One channel of a stream, with enough of its past to look back. */

/** The past of a channel with its samples of an interleaved block behind it. */
export const continued = (
  past: Float32Array,
  block: Float32Array,
  channel: number,
  channels: number
): Float32Array => {
  const line = new Float32Array(past.length + block.length / channels)
  line.set(past)
  if (channels === 1) line.set(block, past.length)
  else for (let i = past.length, at = channel; i < line.length; i++, at += channels) line[i] = block[at]!
  return line
}

/** Whether any of the samples from `from` up to `to` is louder than `level`. */
export const exceeds = (line: Float32Array, from: number, to: number, level: number): boolean => {
  for (let i = from; i < to; i++) {
    const sample = line[i]!
    if (sample > level || sample < -level) return true
  }
  return false
}
