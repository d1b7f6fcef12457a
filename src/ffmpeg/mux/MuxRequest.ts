/** A request to mux new sound and subtitles into a video, and the files that it is made from. */
import type { Duck, SpokenSpan } from "../../audio/level/Ducking.ts"
import type { PictureStretch } from "../../domain/time/PictureStretch.ts"
import type { LanguageTag } from "../../domain/values/Ids.ts"
import type { MediaInfo } from "../probe/MediaInfo.ts"

/** A new audio track from any audio file. It is copied if its codec suits the container, else encoded. */
export interface DubTrack {
  readonly path: string
  readonly language?: LanguageTag
  readonly title?: string
  /** Whether players select it by default. */
  readonly isDefault: boolean
  /** The spans with speech, during which the original is ducked. */
  readonly spoken: ReadonlyArray<SpokenSpan>
}

/** A new subtitle track, from an SRT or WebVTT file. */
export interface SubtitleTrack {
  readonly path: string
  readonly language?: LanguageTag
  readonly title?: string
}

/** The video's own sound: kept as further tracks, dropped, or ducked under the voice in each new track. */
export type OriginalSound = "keep" | "drop" | Duck

/** A request to mux. The extension of `out` selects the container: mp4, m4v, mov, mkv or webm. */
export interface MuxRequest {
  readonly video: string
  readonly out: string
  readonly tracks: readonly [DubTrack, ...ReadonlyArray<DubTrack>]
  readonly original: OriginalSound
  readonly subtitles: ReadonlyArray<SubtitleTrack>
  /** Marks the video as partly synthetic. */
  readonly isMarked?: boolean
  /** Where the picture lasts longer than in the video; the tracks and subtitles are as long as the result. */
  readonly stretches?: ReadonlyArray<PictureStretch>
}

/** The probed files of a request. */
export interface MuxSources {
  /** As long as the result. */
  readonly video: MediaInfo
  /** One per track, in order. */
  readonly tracks: ReadonlyArray<MediaInfo>
  /** Each track's gain file, which ducks the original; empty without ducking. */
  readonly gains: ReadonlyArray<string>
  /** The file with the video's own sound, as `evenSoundJob` writes it; absent if it can be read as it is. */
  readonly even?: string | undefined
  /** The file with all sound tracks of a lengthened film, as `soundsJob` writes it. */
  readonly made?: MediaInfo | undefined
  /** The files of the video's cover images, if the container holds them as attachments. */
  readonly covers?: ReadonlyArray<string>
  /** The file of the video's chapters at their later times, in ffmpeg's metadata format. */
  readonly chapters?: string | undefined
}

/** Returns how to duck the video's own sound; undefined if it has none, or it is kept or dropped. */
export const duckOf = ({ original }: MuxRequest, { sounds }: MediaInfo): Duck | undefined =>
  typeof original === "string" || sounds.length === 0 ? undefined : original
