/** What a run and the thread that makes its clips tell each other; both are of one build. */
import type { Pcm } from "../../audio/pcm/Pcm.ts"
import type { UtteranceKey } from "../../domain/values/Ids.ts"
import type { Kept } from "../../store/files/ClipFile.ts"
import type { ClipMade, Unusable, ClipRequest } from "./ClipAnalysis.ts"

/**
 * Orders are handed over as many at a time as there are: so are their answers, once the files of all of them are on the
 * disk.
 */
export interface ClipWorkerRequest {
  readonly id: number
  readonly key: UtteranceKey
  /** A WAV file's bytes, or samples: nobody else's. */
  readonly sound: Uint8Array<ArrayBuffer> | (Pcm & { readonly samples: Float32Array<ArrayBuffer> })
  readonly wanted: ClipRequest
}

/** A clip that was made and written. */
export type ClipWritten = ClipMade & Kept

export interface ClipWorkerResponse {
  readonly id: number
  readonly answer:
    | ClipWritten
    | Unusable
    /** A fault in the program or of the disk; `code` is the system's, where it is the disk's. */
    | { readonly _tag: "Broken"; readonly message: string; readonly code: string | undefined }
}
