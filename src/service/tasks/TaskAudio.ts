/** Writes a task's speech as a WAV or MP3 file. */
import { open } from "node:fs/promises"
import { Effect } from "effect"
import { fromInt16 } from "../../audio/pcm/Pcm.ts"
import { sampleBytesOf, wavHeader } from "../../audio/formats/WavHeader.ts"
import type { SampleRate } from "../../domain/time/Units.ts"
import { Ffmpeg } from "../../ffmpeg/Ffmpeg.ts"
import { blocksOf, type SynthesizedTask } from "./Synthesis.ts"
import { FilesUnwritable, unwritable } from "../storage/FileStore.ts"

/** Output format. A WAV without a rate keeps the engine's sample rate. */
export type TaskAudioSettings =
  | { readonly format: "wav"; readonly rate: SampleRate | undefined }
  | { readonly format: "mp3"; readonly rate: SampleRate; readonly bitrate: number }

/** Writes the file. The output is deterministic: equal speech gives equal bytes. */
export const writeAudio = (path: string, spoken: SynthesizedTask, settings: TaskAudioSettings) =>
  settings.format === "wav" && (settings.rate === undefined || settings.rate === spoken.rate)
    ? writeWav(path, spoken)
    : encode(path, spoken, settings)

const encode = Effect.fnUntraced(function* (
  path: string,
  spoken: SynthesizedTask,
  settings: TaskAudioSettings
) {
  const ffmpeg = yield* Ffmpeg
  yield* ffmpeg
    .encode<never, never>(
      {
        feed: { rate: spoken.rate, channels: 1, frames: spoken.frames },
        sinks: [
          {
            path,
            rate: settings.rate ?? spoken.rate,
            format:
              settings.format === "mp3"
                ? { format: "mp3", bitrate: settings.bitrate }
                : { format: "wav", depth: 16 }
          }
        ]
      },
      floatsOf(blocksOf(spoken))
    )
    .pipe(
      Effect.mapError(
        (failure) => new FilesUnwritable({ detail: failure.message, full: failure._tag === "DiskFull" })
      )
    )
})

const floatsOf = function* (blocks: Iterable<Int16Array>) {
  for (const block of blocks) yield fromInt16(block)
}

const writeWav = (path: string, spoken: SynthesizedTask): Effect.Effect<void, FilesUnwritable> =>
  Effect.tryPromise({
    try: async () => {
      const file = await open(path, "wx", 0o600)
      try {
        await file.appendFile(
          wavHeader({ rate: spoken.rate, channels: 1, encoding: "int16", frames: spoken.frames })
        )
        for (const block of blocksOf(spoken)) await file.appendFile(sampleBytesOf(block))
      } finally {
        await file.close()
      }
    },
    catch: unwritable
  })
