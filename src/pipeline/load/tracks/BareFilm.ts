/** The film of a script that is passed without a manifest. */
import type { JobEntry } from "../../../domain/manifest/Manifest.ts"
import { containerFor } from "../../../domain/manifest/Outputs.ts"
import { endingOf } from "../../../script/formats/UnreadFormats.ts"
import type { RunFlags } from "../RunFlags.ts"

/** Adds the film whose subtitle track is a bare input, unless its format holds only subtitles. */
export const withOwnFilm = (entry: JobEntry, film: string, flags: Pick<RunFlags, "outputs">): JobEntry =>
  entry.video !== undefined || endingOf(film) === "mks" ? entry : withFilm(entry, film, flags)

/**
 * Adds its film to a bare file's entry. Unless a flag sets the outputs, they include the film with its new track, in
 * the film's own container if that is an output, else in Matroska, which takes any codec.
 */
export const withFilm = (
  entry: JobEntry,
  video: string,
  { outputs }: Pick<RunFlags, "outputs">
): JobEntry => {
  if (outputs !== undefined) return { ...entry, video }
  return { ...entry, video, outputs: ["wav", "srt", containerFor(video)] }
}
