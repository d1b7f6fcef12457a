/**
 * The ffmpegs that tests run: the bundled one, which is there whatever PATH says, and the system's where PATH has one.
 */
import { layer, type Vitest } from "@effect/vitest"
import { ConfigProvider, Effect, Layer } from "effect"
import { type Binary, locate } from "../../src/ffmpeg/process/FfmpegBinary.ts"
import { Ffmpeg } from "../../src/ffmpeg/Ffmpeg.ts"

/** The bundled ffmpeg. It makes and measures the media of tests, so that these do not depend on PATH. */
export const bundled = await Effect.runPromise(locate(undefined, undefined))

const first = await Effect.runPromise(locate(undefined, process.env["PATH"]))

/** The system's ffmpeg; undefined where PATH has none. */
export const system = first.source === "PATH" ? first : undefined

const serviceOf = ({ path }: Binary) =>
  Layer.provide(
    Layer.fresh(Ffmpeg.Default),
    Layer.setConfigProvider(
      ConfigProvider.fromMap(new Map([["DUBWRIGHT_FFMPEG", path]])).pipe(
        // A runtime made of this layer reads its other settings from the environment.
        ConfigProvider.orElse(() => ConfigProvider.fromEnv())
      )
    )
  )

/** The service with the bundled ffmpeg. */
export const bundledFfmpeg = serviceOf(bundled)

/** What is promised is tested with each of these. */
export const ffmpegs = [
  { name: "the bundled ffmpeg", binary: bundled, service: bundledFfmpeg },
  ...(system === undefined
    ? []
    : [{ name: "the system's ffmpeg", binary: system, service: serviceOf(system) }])
]

/** Like `layer` of @effect/vitest: runs a suite once with each ffmpeg. */
export const withEachFfmpeg = (
  suite: string,
  tests: (it: Vitest.MethodsNonLive<Ffmpeg, true>) => void
): void => {
  for (const { name, service } of ffmpegs)
    layer(service, { excludeTestServices: true })(`${suite}, with ${name}`, tests)
}
