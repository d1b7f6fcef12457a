/** A programme made section by section, each in the order of time: by threads beside this one where it is long. */
import { availableParallelism } from "node:os"
import { Chunk, Effect, Exit, Option, Queue, Stream } from "effect"
import type { MixBlock } from "../../audio/level/Mixer.ts"
import { type Section, sectionsOf } from "../../audio/pcm/Section.ts"
import type { SpeakerName } from "../../domain/values/Ids.ts"
import { fed, measureBlocks, refusalAt } from "../../ffmpeg/encode/PcmBlocks.ts"
import type { Made, Maker } from "../../ffmpeg/encode/Encoder.ts"
import type { DiskFull, Unwritable } from "../../ffmpeg/process/FfmpegErrors.ts"
import { feeds, type RequestOrder } from "../../ffmpeg/encode/SampleSinks.ts"
import { ClipFolder } from "../../store/files/ClipFolder.ts"
import { failOrDie, type StateUnusable } from "../../store/state/StateErrors.ts"
import { yieldToEventLoop } from "../EventLoop.ts"
import { ClipMissing } from "./ClipMissing.ts"
import { mixLinesIn, type Programme } from "./MixPlan.ts"
import { SectionRenderer, renderSection, type Mastering, mixedSection } from "./SectionRenderer.ts"
import { failureOf, type SectionFailure } from "./SectionWorkerProtocol.ts"
import { openSectionWorker, threadProgram } from "./SectionWorkerClient.ts"

/** Why a programme could not be made. */
export type RenderFault = StateUnusable | ClipMissing | DiskFull | Unwritable

/** How a programme is brought to its level, and who else gets its lines. */
export interface ProgrammeRender extends Pick<Mastering, "gain" | "ceiling"> {
  readonly programme: Programme
  readonly stems: ReadonlyArray<SpeakerName | undefined>
  /** Is told how much of it is made. */
  readonly progress: (fraction: number) => Effect.Effect<void>
}

/** How long a section is at least, in seconds: long beside what is computed twice around its ends. */
const leastSeconds = 60

/** Sections at most: each leaves rooms behind that are cleared away later, and memory is not to grow with the film. */
const mostSections = 24

/** How long a programme is at least for which threads are worth their start, in seconds. */
const worthThreads = 180

/** Threads at most: each takes its memory, and what they write goes to one disk. */
const mostThreads = 4

/** What an encoder keeps busy: threads beside it would only take turns with it. */
const encoderCores = 2

/** Makes a programme and its stems, and does what is ordered with them. */
export const renderInSections =
  (wanted: ProgrammeRender): Maker<RenderFault, ClipFolder> =>
  (orders) => {
    const { rate, length } = wanted.programme
    const seconds = Math.max(leastSeconds, Math.ceil(length / rate / mostSections))
    const sections = sectionsOf(length, rate, seconds)
    const program = length > worthThreads * rate ? threadProgram() : undefined
    return program === undefined
      ? Stream.flatMap(Stream.fromIterable(sections), (section) => madeHere(wanted, section, orders))
      : madeByThreads(wanted, sections, orders, program)
  }

/** The sum of a programme's lines, block by block as it is asked for; a block is valid until the next. */
export const renderInThisThread = (programme: Programme): Stream.Stream<MixBlock, RenderFault, ClipFolder> =>
  Stream.unwrapScoped(
    Effect.gen(function* () {
      const { state, folder } = yield* ClipFolder
      const { rate, channels, length } = programme
      const all = { begin: 0, end: length }
      const lines = mixLinesIn(programme, all, [])
      const desk = yield* Effect.acquireRelease(
        Effect.sync(() => new SectionRenderer(folder)),
        (used) => Effect.sync(() => used.clear())
      )
      const blocks = mixedSection({ rate, channels, stems: 0 }, all, lines, desk)
      return Stream.repeatEffectOption(
        Effect.flatMap(Effect.mapError(stepped(blocks, [], state), Option.some), ({ done, value }) =>
          done === true ? Effect.fail(Option.none()) : Effect.succeed(value)
        )
      )
    })
  )

/** A section made in this thread, block by block as it is asked for. */
const madeHere = (wanted: ProgrammeRender, section: Section, orders: ReadonlyArray<RequestOrder>) =>
  Stream.unwrapScoped(
    Effect.gen(function* () {
      const { state, folder } = yield* ClipFolder
      const lines = mixLinesIn(wanted.programme, section, wanted.stems)
      const made: Array<Made> = []
      const feed = (order: number, bytes: Uint8Array) => void made.push(fed(order, bytes))
      const steps = yield* Effect.acquireRelease(
        Effect.sync(() =>
          renderSection(masteringOf(wanted), section, lines, orders, new SectionRenderer(folder), feed)
        ),
        (begun) => Effect.sync(() => begun.return([]))
      )
      return Stream.paginateChunkEffect(undefined, () =>
        Effect.map(stepped(steps, orders, state), ({ done, value }) => {
          if (done === true) made.push(...measureBlocks(value))
          return [
            Chunk.unsafeFromArray(made.splice(0)),
            done === true ? Option.none() : Option.some(undefined)
          ]
        })
      ).pipe(toldAt(wanted, section))
    })
  )

/** A step of what is made in this thread; others have their turn behind it. */
const stepped = <A, B>(
  steps: Generator<A, B>,
  orders: ReadonlyArray<RequestOrder>,
  state: string
): Effect.Effect<IteratorResult<A, B>, RenderFault> =>
  Effect.try({ try: () => steps.next(), catch: failureOf }).pipe(
    Effect.catchAll((failure) => faultOf(failure, orders, state)),
    Effect.zipLeft(yieldToEventLoop)
  )

/**
 * The sections made by threads, each by whichever has nothing to do; what they make is handed on in the order of time.
 */
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
      const count = Math.min(Math.max(1, cores), mostThreads, sections.length)
      const threads = yield* Effect.replicateEffect(
        openSectionWorker(program, { mastering: masteringOf(wanted), orders, clips: folder }),
        count
      )
      const idle = yield* Queue.unbounded<(typeof threads)[number]>()
      yield* idle.offerAll(threads)
      const works = yield* Effect.forEach(sections, (section) =>
        Effect.map(Queue.unbounded<Exit.Exit<Made, Option.Option<never>>>(), (made) => ({ section, made }))
      )
      const working = Effect.forEach(
        works,
        ({ section, made }) =>
          Effect.gen(function* () {
            const make = yield* idle
            const lines = mixLinesIn(wanted.programme, section, wanted.stems)
            yield* make(section, lines, (one) => made.unsafeOffer(Exit.succeed(one))).pipe(
              Effect.catchAll((failure) => faultOf(failure, orders, state))
            )
            yield* idle.offer(make)
            yield* made.offer(Exit.fail(Option.none()))
          }),
        { concurrency: count, discard: true }
      )
      const inOrder = Stream.flatMap(Stream.fromIterable(works), ({ section, made }) =>
        Stream.repeatEffectOption(Effect.flatten(made)).pipe(toldAt(wanted, section))
      )
      return Stream.merge(inOrder, Stream.drain(Stream.fromEffect(working)))
    })
  )

const masteringOf = ({
  programme: { rate, channels },
  stems,
  gain,
  ceiling
}: ProgrammeRender): Mastering => ({
  rate,
  channels,
  stems: stems.length,
  gain,
  ceiling
})

/** Tells how far the programme is made when a section has been handed on. */
const toldAt =
  ({ programme: { length }, progress }: ProgrammeRender, { to }: Section) =>
  <A, E, R>(made: Stream.Stream<A, E, R>): Stream.Stream<A, E, R> =>
    Stream.concat(made, Stream.execute(progress(length === 0 ? 1 : to / length)))

const faultOf = (
  failure: SectionFailure,
  orders: ReadonlyArray<RequestOrder>,
  state: string
): Effect.Effect<never, RenderFault> => {
  if (failure._tag === "Clip") return Effect.fail(new ClipMissing({ utterance: failure.utterance }))
  const { order, code, words } = failure
  const cause = Object.assign(new Error(words), { code })
  return order === undefined ? failOrDie(state, cause) : Effect.fail(refusalAt(orders, order, cause))
}
