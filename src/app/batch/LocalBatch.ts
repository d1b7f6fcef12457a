/** Brings the files of a batch to this machine. */
import { Effect } from "effect"
import { isS3Address } from "../../system/s3/S3Address.ts"
import type { BatchOptions } from "./BatchInput.ts"
import type { LocalBatch } from "./S3Batch.ts"

/** Copies a batch's files to this machine if they are in S3. The code for that is loaded only then. */
export const localBatch = <A extends BatchOptions>(options: A) =>
  [...options.inputs, options.out ?? ""].some(isS3Address)
    ? Effect.flatMap(
        Effect.promise(() => import("./S3Batch.ts")),
        ({ openS3Batch }) => openS3Batch(options)
      )
    : Effect.succeed<LocalBatch<A>>({ options, sendResults: () => Effect.void })
