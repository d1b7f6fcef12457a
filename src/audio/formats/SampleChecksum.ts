/**
 * The checksum of a FLAC file: the MD5 of all samples (RFC 9639, section 8.2). Unlike Node's, it can be saved in the
 * middle of a stream and continued by another process.
 */
import hashes from "hash-wasm/dist/md5.umd.min.js"

/** Adds up consecutive samples. */
export interface SampleChecksum {
  /** Adds little-endian samples, channels interleaved. */
  readonly add: (samples: Uint8Array) => void
  /** Returns the state after all samples so far. */
  readonly state: () => Uint8Array
  /** Returns the checksum, 16 bytes. Nothing can be added afterwards. */
  readonly digest: () => Uint8Array
}

/** Begins a checksum, or continues one from its `state`. Throws if another version of hash-wasm made that. */
export const openChecksum = async (state?: Uint8Array): Promise<SampleChecksum> => {
  const md5 = await hashes.createMD5()
  if (state === undefined) md5.init()
  else md5.load(state)
  return {
    add: (samples) => void md5.update(samples),
    state: () => md5.save(),
    digest: () => md5.digest("binary")
  }
}
