/** Pauses a background where its film is lengthened. */
import { type PictureStretch, soundPauses } from "../../../domain/time/PictureStretch.ts"
import { framesAt } from "../../../domain/time/Units.ts"
import type { BackgroundTrack } from "../../plan/media/JobBackground.ts"

/** Returns a background with silence where the film's picture waits. */
export const pausedBackground = (
  track: BackgroundTrack,
  stretches: ReadonlyArray<PictureStretch>
): BackgroundTrack =>
  stretches.length === 0
    ? track
    : {
        ...track,
        pauses: soundPauses(stretches).map(({ at, length }) => ({
          at: framesAt(at, track.rate),
          length: framesAt(length, track.rate)
        }))
      }
