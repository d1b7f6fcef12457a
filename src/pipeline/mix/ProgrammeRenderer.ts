/** Renders a programme section by section, in order of time; long programmes in worker threads. */
import { availableParallelism } from "node:os"
import { Chunk, Effect, Exit, Option, Queue, Stream, Iterable, type Scope } from "effect"
import { MessageChannel, Worker } from "node:worker_threads"
import type { MixBlock } from "../../audio/level/Mixer.ts"
import type { SectionMeasurement } from "../../audio/level/ProgrammeMeter.ts"
import { sectionsOf, type Section } from "../../audio/pcm/Section.ts"
import type { SpeakerName } from "../../domain/values/Ids.ts"
import { fedCopy, outcomes, refusalAt } from "../../ffmpeg/encode/PcmBlocks.ts"
import type { DiskFull, Unwritable } from "../../ffmpeg/process/FfmpegErrors.ts"
import { feeds, type OrderResult, type RequestOrder } from "../../ffmpeg/encode/SampleSinks.ts"
import { ClipFolder } from "../../store/files/ClipFolder.ts"
import { failOrDie, type StateUnusable } from "../../store/state/StateErrors.ts"
import { yieldToEventLoop } from "../EventLoop.ts"
import { BackgroundMissing, ClipMissing } from "./ClipMissing.ts"
import { bedOf, mixLinesIn, type Programme } from "./MixLines.ts"
import {
  SectionRenderer,
  renderSection,
  mixedSection,
  type Mastering,
  type MixLine
} from "./SectionRenderer.ts"
import {
  failureOf,
  slotBytes,
  type SectionFailure,
  type SectionResponse,
  type SectionRequest,
  type SomeLines,
  type ThreadStart
} from "./SectionWorkerProtocol.ts"
import { builtProgram, resourceLimits } from "../../system/BuiltProgram.ts"

/** Why a programme could not be rendered. */
export type RenderFault = StateUnusable | ClipMissing | BackgroundMissing | DiskFull | Unwritable

/** A programme, its gain and ceiling, and the stems to render with it. */
export interface ProgrammeRender extends Pick<Mastering, "gain" | "ceiling"> {
  readonly programme: Programme
  readonly stems: ReadonlyArray<SpeakerName | undefined>
  /** Sections that are kept, by index, with their measurements if the programme is measured. */
  readonly kept?: ReadonlyMap<number, SectionMeasurement | undefined>
  /** Receives the rendered fraction, 0 to 1. */
  readonly progress: (fraction: number) => Effect.Effect<void>
}

/**
 * Length of a section in seconds. It is long relative to the overlaps at its ends, which are computed twice, but short
 * enough to render one section again. The same for all films, so that a section does not depend on the film's length.
 */
const sectionSeconds = 60

/** Shortest time to render, in seconds, for which worker threads are worth starting. */
const worthThreads = 180

/** Maximum number of worker threads: each takes memory, and all write to one disk. */
const maxThreads = 4

/** Cores kept busy by an encoder; worker threads on them would only compete with it. */
const encoderCores = 2

/** Renders a programme and its stems, and carries out the orders on them. Yields the results in order of time. */
export const renderInSections = (
  wanted: ProgrammeRender,
  orders: ReadonlyArray<RequestOrder>
): Stream.Stream<OrderResult, RenderFault, ClipFolder> => {
  const { programme, kept } = wanted
  const sections = sectionsIn(programme)
  const seconds = sections.reduce(
    (sum, { from, to }, at) => sum + (kept?.has(at) === true ? 0 : (to - from) / programme.rate),
    0
  )
  const program = seconds > worthThreads ? threadProgram() : undefined
  return program === undefined
    ? madeHere(wanted, sections, orders)
    : madeByThreads(wanted, sections, orders, program)
}

/** Splits a programme into the sections that are rendered on their own. */
export const sectionsIn = ({ length, rate }: Pick<Programme, "length" | "rate">): ReadonlyArray<Section> =>
  sectionsOf(length, rate, sectionSeconds)

/** The results of all sections in order of time: `made` renders one. */
const inOrder = <E, R>(
  wanted: ProgrammeRender,
  sections: ReadonlyArray<Section>,
  orders: ReadonlyArray<RequestOrder>,
  made: (section: Section) => Stream.Stream<OrderResult, E, R>
): Stream.Stream<OrderResult, E, R> =>
  Stream.flatten(Stream.fromIteratorSucceed(partsInOrder(wanted, sections, orders, made), 1))

function* partsInOrder<E, R>(
  wanted: ProgrammeRender,
  sections: ReadonlyArray<Section>,
  orders: ReadonlyArray<RequestOrder>,
  made: (section: Section) => Stream.Stream<OrderResult, E, R>
): Generator<Stream.Stream<OrderResult, E, R>> {
  /** Those of consecutive sections that are kept, as one chunk. */
  let results: Array<OrderResult> = []
  for (const [at, section] of sections.entries()) {
    if (wanted.kept?.has(at) === true) {
      const heard = wanted.kept.get(at)
      results.push(...outcomes(orders.map(({ order }) => (order.kind === "listen" ? heard : undefined))))
    } else {
      yield Stream.fromIterable(results)
      yield made(section)
      results = []
    }
  }
  yield Stream.fromIterable(results)
}

/** Mixes a programme's lines block by block, on demand. A block is valid until the next one is requested. */
export const renderInThisThread = (programme: Programme): Stream.Stream<MixBlock, RenderFault, ClipFolder> =>
  Stream.unwrapScoped(
    Effect.gen(function* () {
      const { state, folder } = yield* ClipFolder
      const { rate, channels, length } = programme
      const all = { begin: 0, end: length }
      const lines = mixLinesIn(programme, all, [])
      const renderer = yield* Effect.acquireRelease(
        Effect.sync(() => new SectionRenderer(folder)),
        (used) => Effect.sync(() => used.clear())
      )
      const blocks = mixedSection({ rate, channels, stems: 0 }, all, lines, renderer)
      return Stream.repeatEffectOption(
        Effect.flatMap(Effect.mapError(stepped(blocks, [], state), Option.some), ({ done, value }) =>
          done === true ? Effect.fail(Option.none()) : Effect.succeed(value)
        )
      )
    })
  )

/** Renders sections on this thread, block by block, on demand. */
const madeHere = (
  wanted: ProgrammeRender,
  sections: ReadonlyArray<Section>,
  orders: ReadonlyArray<RequestOrder>
) =>
  Stream.unwrap(
    Effect.map(ClipFolder, ({ state, folder }) => {
      const renderer = new SectionRenderer(folder)
      return inOrder(wanted, sections, orders, (section) => {
        const lines = mixLinesIn(wanted.programme, section, wanted.stems)
        const begun = Effect.acquireRelease(
          Effect.sync(() => renderSection(masteringOf(wanted), section, lines, orders, renderer)),
          (steps) => Effect.sync(() => steps.return([]))
        )
        const results = Effect.map(begun, (steps) =>
          Stream.paginateChunkEffect(undefined, () =>
            Effect.map(stepped(steps, orders, state), ({ done, value }) =>
              done === true
                ? [Chunk.unsafeFromArray(outcomes(value)), Option.none()]
                : [Chunk.unsafeFromArray(value.map(fedCopy)), Option.some(undefined)]
            )
          )
        )
        return Stream.unwrapScoped(results).pipe(readAt(wanted, section))
      })
    })
  )

/** Runs one step on this thread, then yields to the event loop. */
const stepped = <A, B>(
  steps: Generator<A, B>,
  orders: ReadonlyArray<RequestOrder>,
  state: string
): Effect.Effect<IteratorResult<A, B>, RenderFault> =>
  Effect.try({ try: () => steps.next(), catch: failureOf }).pipe(
    Effect.catchAll((failure) => renderFault(failure, orders, state)),
    Effect.zipLeft(yieldToEventLoop)
  )

/** Renders sections in worker threads, each by the next idle one; results are emitted in order of time. */
const madeByThreads = (
  wanted: ProgrammeRender,
  sections: ReadonlyArray<Section>,
  orders: ReadonlyArray<RequestOrder>,
  program: string
) =>
  Stream.unwrapScoped(
    Effect.gen(function* () {
      const { state, folder } = yield* ClipFolder
      const cores = availableParallelism() - (feeds(orders) ? encoderCores : 0)
      const count = Math.min(Math.max(1, cores), maxThreads, sections.length)
      const threads = yield* Effect.replicateEffect(
        openSectionWorker(program, { mastering: masteringOf(wanted), orders, clips: folder }),
        count
      )
      const idle = yield* Queue.unbounded<(typeof threads)[number]>()
      yield* idle.offerAll(threads)
      const rendered = sections.filter((_, at) => wanted.kept?.has(at) !== true)
      const queues = new Map(
        yield* Effect.forEach(rendered, (section) =>
          Effect.map(
            Queue.unbounded<Exit.Exit<OrderResult, Option.Option<never>>>(),
            (made) => [section, made] as const
          )
        )
      )
      const working = Effect.forEach(
        queues,
        ([section, made]) =>
          Effect.gen(function* () {
            const make = yield* idle
            const lines = mixLinesIn(wanted.programme, section, wanted.stems)
            yield* make(section, lines, (one) => made.unsafeOffer(Exit.succeed(one))).pipe(
              Effect.catchAll((failure) => renderFault(failure, orders, state))
            )
            yield* idle.offer(make)
            yield* made.offer(Exit.fail(Option.none()))
          }),
        { concurrency: count, discard: true }
      )
      const results = inOrder(wanted, sections, orders, (section) => {
        const made = queues.get(section)
        return made === undefined
          ? Stream.empty
          : Stream.repeatEffectOption(Effect.flatten(made)).pipe(readAt(wanted, section))
      })
      return Stream.merge(results, Stream.drain(Stream.fromEffect(working)))
    })
  )

const masteringOf = ({ programme, stems, gain, ceiling }: ProgrammeRender): Mastering => ({
  rate: programme.rate,
  channels: programme.channels,
  stems: stems.length,
  gain,
  ceiling,
  ...bedOf(programme)
})

/** Reports the progress after a section has been emitted. */
const readAt =
  ({ programme: { length }, progress }: ProgrammeRender, { to }: Section) =>
  <A, E, R>(made: Stream.Stream<A, E, R>): Stream.Stream<A, E, R> =>
    Stream.concat(made, Stream.execute(progress(length === 0 ? 1 : to / length)))

/** The error for a section that could not be rendered. */
export const renderFault = (
  failure: SectionFailure,
  orders: ReadonlyArray<RequestOrder>,
  state: string
): Effect.Effect<never, RenderFault> => {
  if (failure._tag === "Background") return Effect.fail(new BackgroundMissing(failure))
  if (failure._tag === "Clip") return Effect.fail(new ClipMissing({ utterance: failure.utterance }))
  const { order, code, words } = failure
  const cause = Object.assign(new Error(words), { code })
  return order === undefined ? failOrDie(state, cause) : Effect.fail(refusalAt(orders, order, cause))
}

/** Path of the worker's bundle; undefined if it was not built. */
const threadProgram = (): string | undefined => builtProgram("section-worker.mjs")

/**
 * Slots of a thread, 8 MiB: how far it may run ahead of an encoder. A minute of mono at 48 kHz
 * takes less, so that a thread can end its section while another one renders the section before.
 */
const slotCount = 16

/** Lines sent at once, about 400 bytes each: messages above 100 kB are garbage-collected late. */
const linesAtOnce = 32

/** Renders a section from its lines and returns the results in order. Only one call at a time. */
type RenderSection = (
  section: SectionRequest,
  lines: Iterable<MixLine>,
  handOn: (result: OrderResult) => void
) => Effect.Effect<void, SectionFailure>

/** Starts a worker thread, which ends with the scope. */
export const openSectionWorker = (
  program: string,
  start: Pick<ThreadStart, "mastering" | "orders" | "clips">
): Effect.Effect<RenderSection, never, Scope.Scope> =>
  Effect.gen(function* () {
    const isFed = feeds(start.orders)
    const count = isFed ? slotCount : 1
    const buffer = new SharedArrayBuffer(isFed ? count * slotBytes : 0)
    const slots = new SharedArrayBuffer(4 * count)
    const lines = new MessageChannel()
    const workerData: ThreadStart = { ...start, lines: lines.port2, buffer, slots }
    const transferList = [lines.port2]
    const worker = yield* Effect.acquireRelease(
      Effect.sync(() => new Worker(program, { workerData, transferList, execArgv: [], resourceLimits })),
      (thread) => Effect.promise(() => thread.terminate())
    )
    const fedFrom = ({
      slot,
      length,
      ...fed
    }: Extract<SectionResponse, { readonly kind: "fed" }>): OrderResult => ({
      ...fed,
      bytes: new Uint8Array(buffer, slot * slotBytes, length),
      taken: new Int32Array(slots, slot * Int32Array.BYTES_PER_ELEMENT, 1)
    })
    const send = (section: SectionRequest, its: Iterable<MixLine>) => {
      for (const some of Iterable.chunksOf(its, linesAtOnce))
        lines.port1.postMessage(some satisfies SomeLines)
      worker.postMessage(section)
    }
    /** What hears the responses to the present request. */
    let asked:
      { readonly hear: (answer: SectionResponse) => void; readonly die: (cause: unknown) => void } | undefined
    let death: { readonly cause: unknown } | undefined
    // A thread that dies is an internal error. It may die while it has nothing to do: without a listener, that would
    // end the process.
    const die = (cause: unknown) => {
      death ??= { cause }
      asked?.die(death.cause)
    }
    worker
      .on("message", (answer: SectionResponse) => asked?.hear(answer))
      .on("error", die)
      .on("exit", (code) => die(new Error(`a thread that renders sections ended with code ${code}`)))
    return (section, its, handOn) =>
      Effect.async<void, SectionFailure>((resume) => {
        const end = () => (asked = undefined)
        asked = {
          hear: (answer) => {
            if (answer.kind === "fed") return handOn(fedFrom(answer))
            if (answer.kind === "made") outcomes(answer.outcomes).forEach(handOn)
            end()
            resume(answer.kind === "failed" ? Effect.fail(answer.failure) : Effect.void)
          },
          die: (cause) => {
            end()
            resume(Effect.die(cause))
          }
        }
        if (death !== undefined) return asked.die(death.cause)
        try {
          send(section, its)
        } catch (cause) {
          end()
          resume(Effect.fail(failureOf(cause)))
        }
        return Effect.sync(end)
      })
  })
