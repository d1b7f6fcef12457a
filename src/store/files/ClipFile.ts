/** Writes a clip's WAV file, in any process or thread that made the clip. */
import type { UtteranceKey } from "../../domain/values/Ids.ts"
import { checksumOf } from "./Checksum.ts"
import { storedClipName } from "./ClipReader.ts"
import { writeAtomically } from "../../system/AtomicFile.ts"

/** A written file. */
export interface Kept {
  /** SHA-256 in hexadecimal. */
  readonly checksum: string
  readonly bytes: number
}

/** Writes a clip's WAV file to the clip folder, and replaces an existing file atomically. */
export const writeClip = async (clips: string, key: UtteranceKey, wav: Uint8Array): Promise<Kept> => {
  await writeAtomically(clips, storedClipName(key), wav)
  return { checksum: checksumOf(wav), bytes: wav.length }
}
