/** Ready-made ffmpeg layers. */
import { Config, ConfigProvider, Effect, Layer, Option } from "effect"
import { Ffmpeg } from "../../ffmpeg/Ffmpeg.ts"

/**
 * Locates ffmpeg with a config provider of its own. A config provider in a layer would also apply to the layer's users.
 */
const located = (settings: Effect.Effect<ReadonlyMap<string, string>>) =>
  Layer.effectContext(
    Effect.flatMap(settings, (known) =>
      Effect.scoped(Layer.build(Layer.fresh(Ffmpeg.Default))).pipe(
        Effect.withConfigProvider(ConfigProvider.fromMap(new Map(known)))
      )
    )
  )

/** Uses only this ffmpeg. */
export const ffmpegAt = (path: string) => located(Effect.succeed(new Map([["DUBWRIGHT_FFMPEG", path]])))

/** The ffmpeg of the environment variable PATH, else the one in an npm package. Reads no other variable. */
export const ffmpegOnPath = located(
  Config.option(Config.string("PATH")).pipe(
    Effect.withConfigProvider(ConfigProvider.fromEnv()),
    Effect.orElseSucceed(() => Option.none<string>()),
    Effect.map((path) => new Map(Option.toArray(path).map((folders) => ["PATH", folders])))
  )
)

/** The ffmpeg that the command uses: the one that DUBWRIGHT_FFMPEG names, else as `ffmpegOnPath`. */
export const ffmpegFromEnvironment = Ffmpeg.Default

/** The ffmpeg for planning a batch: one that is located and started only if a job has a video to probe. */
export const ffmpegToPlan = ({ jobs }: { readonly jobs: ReadonlyArray<{ readonly video?: unknown }> }) =>
  jobs.some(({ video }) => video !== undefined) ? ffmpegFromEnvironment : Ffmpeg.untried
