/** Messages between a run and its clip worker; both always come from the same build. */
import type { Pcm } from "../../audio/pcm/Pcm.ts"
import type { UtteranceKey } from "../../domain/values/Ids.ts"
import type { Kept } from "../../store/files/ClipFile.ts"
import type { ClipMade, ClipRequest, Unusable } from "./ClipAnalysis.ts"

/** Requests are sent in batches. A batch is answered once all its files are on disk. */
export interface ClipWorkerRequest {
  readonly key: UtteranceKey
  /** A file's bytes as received, or samples; the receiver owns them. */
  readonly sound: Uint8Array<ArrayBuffer> | (Pcm & { readonly samples: Float32Array<ArrayBuffer> })
  readonly wanted: ClipRequest
}

/** A clip that was made and written. */
export type ClipWritten = ClipMade & Kept

/** The response to a request. Those of a batch are in its order. */
export type ClipAnswer =
  | ClipWritten
  | Unusable
  /** The bytes are neither WAV nor a plain MP3. */
  | { readonly _tag: "Undecoded" }
  /** An internal error or a disk error; `code` is the system's error code, if any. */
  | { readonly _tag: "Broken"; readonly message: string; readonly code: string | undefined }
