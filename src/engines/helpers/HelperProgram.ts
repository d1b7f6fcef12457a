/** Errors of a helper that is a program. */
import type { ProgramFailed } from "../program/ChildProgram.ts"
import { HelperFailed } from "./HelperFailed.ts"

/** Converts a program's failure to `HelperFailed`; `setting` is the manifest's key for the helper. */
export const programFailed = (
  setting: string,
  file: string,
  { reason, detail }: ProgramFailed
): HelperFailed =>
  reason === "not-started"
    ? new HelperFailed({
        reason: "unusable",
        detail: `${file}: cannot be started (${detail}); install it, or correct ${setting}.command`
      })
    : new HelperFailed({ reason: "one", detail: `${file}: ${detail}` })
