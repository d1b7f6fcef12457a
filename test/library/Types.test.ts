/** Types of the library's public surface. tsc checks them; at run time these tests do nothing. */
import type { FileSystem, Path } from "@effect/platform"
import type { Effect, Layer } from "effect"
import { expectTypeOf, test } from "vitest"
import * as effects from "../../src/effect.ts"
import {
  type BatchOptions,
  dub,
  type DubOptions,
  type DubbedJob,
  type DubOutcome,
  type ManifestInput,
  plan,
  type PlanOutcome,
  type ProgressEvent,
  type RunningService,
  serve,
  type ServiceChoice,
  verify,
  type VerifyOutcome
} from "../../src/index.ts"

test("each function takes one options object and returns a promise of its result", () => {
  expectTypeOf(dub).parameters.toEqualTypeOf<[DubOptions]>()
  expectTypeOf(plan).parameters.toEqualTypeOf<[BatchOptions]>()
  expectTypeOf(verify).parameters.toEqualTypeOf<[BatchOptions]>()
  expectTypeOf(dub).returns.resolves.toEqualTypeOf<DubOutcome>()
  expectTypeOf(plan).returns.resolves.toEqualTypeOf<PlanOutcome>()
  expectTypeOf(verify).returns.resolves.toEqualTypeOf<VerifyOutcome>()
  expectTypeOf(serve).returns.resolves.toEqualTypeOf<RunningService>()
})

test("a batch is a manifest's path, a manifest, or files, and never two of them", () => {
  expectTypeOf<{ manifest: "film.yaml" }>().toExtend<DubOptions>()
  expectTypeOf<{ manifest: { jobs: [{ input: "a.srt" }] } }>().toExtend<DubOptions>()
  expectTypeOf<{ files: "a.srt" }>().toExtend<DubOptions>()
  expectTypeOf<{ files: ["a.srt", "b.srt"] }>().toExtend<DubOptions>()
  expectTypeOf<{ out: "out" }>().not.toExtend<DubOptions>()
  expectTypeOf<{ manifest: "film.yaml"; files: "a.srt" }>().not.toExtend<DubOptions>()
})

test("a manifest has plain strings, and its jobs may be computed", () => {
  const inputs: ReadonlyArray<string> = ["a.srt"]
  const manifest = { jobs: inputs.map((input) => ({ input, voice: "en-anna", outputs: ["wav"] as const })) }
  expectTypeOf(manifest).toExtend<ManifestInput>()
  expectTypeOf<{ jobs: [{ input: "a.srt"; outputs: ["wave"] }] }>().not.toExtend<ManifestInput>()
})

test("the service is embedded, remote or an engine", () => {
  expectTypeOf<"embedded">().toExtend<ServiceChoice>()
  expectTypeOf<{ url: string; key: string }>().toExtend<ServiceChoice>()
  expectTypeOf<{ url: string }>().not.toExtend<ServiceChoice>()
  expectTypeOf<{
    name: string
    voices: [{ id: string }]
    speak: () => { rate: number; samples: Int16Array }
  }>().toExtend<ServiceChoice>()
})

test("events and results are told apart by their tags", () => {
  expectTypeOf<Extract<ProgressEvent, { _tag: "JobFailed" }>["error"]>().toEqualTypeOf<string>()
  expectTypeOf<DubOutcome["status"]>().toEqualTypeOf<"done" | "failed" | "stopped">()
  expectTypeOf<DubbedJob["status"]>().toEqualTypeOf<"delivered" | "failed" | "unfinished">()
})

test("an executor can be built from the local one", () => {
  const executor = { ...effects.localExecutor, deliveriesAtOnce: 2 }
  expectTypeOf(executor).toExtend<effects.Executor>()
  expectTypeOf<{ files: "a.srt"; executor: typeof executor }>().toExtend<
    effects.DubOptions & effects.ExecutorOption
  >()
})

test("the effects name what they need, and every failure has a message", () => {
  const run = effects.dub({ files: "a.srt" })
  expectTypeOf<Effect.Effect.Context<typeof run>>().toEqualTypeOf<
    effects.Ffmpeg | effects.Progress | effects.SpeechService | FileSystem.FileSystem | Path.Path
  >()
  expectTypeOf<Effect.Effect.Success<typeof run>>().toEqualTypeOf<DubOutcome>()
  const dry = effects.plan({ files: "a.srt" })
  expectTypeOf<Effect.Effect.Context<typeof dry>>().toEqualTypeOf<
    effects.Ffmpeg | effects.SpeechService | FileSystem.FileSystem | Path.Path
  >()
  expectTypeOf<effects.InputRejected | effects.StateBusy>().toExtend<Effect.Effect.Error<typeof run>>()
  expectTypeOf<Effect.Effect.Error<typeof run | typeof dry>>().toExtend<{ readonly message: string }>()
})

test("each layer provides the service it is named after", () => {
  expectTypeOf(effects.embeddedService).toExtend<Layer.Layer<effects.SpeechService, never, effects.Ffmpeg>>()
  expectTypeOf(effects.ffmpegOnPath).toExtend<Layer.Layer<effects.Ffmpeg, unknown>>()
  expectTypeOf(effects.progressTo(() => {})).toEqualTypeOf<Layer.Layer<effects.Progress>>()
})
