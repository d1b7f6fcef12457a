/**
 * The ffmpeg binaries under test: the bundled one, which never depends on PATH, and the system's if PATH has one.
 */
import { layer, type Vitest } from "@effect/vitest"
import { ConfigProvider, Effect, Layer } from "effect"
import { type Binary, locate } from "../../src/ffmpeg/process/FfmpegBinary.ts"
import { Ffmpeg } from "../../src/ffmpeg/Ffmpeg.ts"

/** The bundled ffmpeg. It creates and measures test media, so that they do not depend on PATH. */
export const bundled = await Effect.runPromise(locate(undefined, undefined))

const first = await Effect.runPromise(locate(undefined, process.env["PATH"]))

/** The system's ffmpeg; undefined if PATH has none. */
export const system = first.source === "PATH" ? first : undefined

const serviceOf = ({ path }: Binary) =>
  Layer.provide(
    Layer.fresh(Ffmpeg.Default),
    Layer.setConfigProvider(
      ConfigProvider.fromMap(new Map([["DUBWRIGHT_FFMPEG", path]])).pipe(
        // A runtime built from this layer reads its other settings from the environment.
        ConfigProvider.orElse(() => ConfigProvider.fromEnv())
      )
    )
  )

/** The ffmpeg service with the bundled binary. */
export const bundledFfmpeg = serviceOf(bundled)

/** The suites run with each of these. */
export const ffmpegs = [
  { name: "the bundled ffmpeg", binary: bundled, service: bundledFfmpeg },
  ...(system === undefined
    ? []
    : [{ name: "the system's ffmpeg", binary: system, service: serviceOf(system) }])
]

/** Like `layer` of @effect/vitest, but runs the suite once per ffmpeg. */
export const withEachFfmpeg = (
  suite: string,
  tests: (it: Vitest.MethodsNonLive<Ffmpeg, true>) => void
): void => {
  for (const { name, service } of ffmpegs)
    layer(service, { excludeTestServices: true })(`${suite}, with ${name}`, tests)
}
