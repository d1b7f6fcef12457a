/** A clip's file, written wherever the clip was made. */
import type { UtteranceKey } from "../../domain/values/Ids.ts"
import { checksumOf } from "./Checksum.ts"
import { writeAtomically } from "./AtomicFile.ts"

/** A file that was written. */
export interface Kept {
  /** SHA-256 in hexadecimal. */
  readonly checksum: string
  readonly bytes: number
}

export const storedClipName = (key: UtteranceKey): string => `${key}.wav`

/** Writes a clip's WAV file into the folder of clips. Whatever stood in its place before is replaced in one step. */
export const writeClip = async (clips: string, key: UtteranceKey, wav: Uint8Array): Promise<Kept> => {
  await writeAtomically(clips, storedClipName(key), wav)
  return { checksum: checksumOf(wav), bytes: wav.length }
}
