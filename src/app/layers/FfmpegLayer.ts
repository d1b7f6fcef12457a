/** The one ffmpeg of this process, looked for once by whoever needs it. */
import { Ffmpeg } from "../../ffmpeg/Ffmpeg.ts"

export const ffmpegLayer = Ffmpeg.Default
