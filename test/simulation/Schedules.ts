/** Schedules drawn from seeds, the laws that they must not break, and the shortest one that still breaks a law. */
import { Effect } from "effect"
import { chance } from "../hostile/Chance.ts"
import { drawService } from "../answers/DrawnService.ts"
import {
  allLines,
  type Disturbance,
  noFaults,
  type Outcome,
  type Run,
  runSchedule,
  type Schedule
} from "./World.ts"

/** Events of a run of three lines: its requests, answers, syncs and renames. Later ones happen in slow runs only. */
const maxEvents = 60

/** Draws a schedule. */
export const drawSchedule = (seed: number): Schedule => {
  const random = chance(seed * 7919 + 17)
  const below = (limit: number) => Math.floor(random() * limit)
  const often = (share: number) => random() < share
  const pick = <A>(first: A, ...others: ReadonlyArray<A>): A =>
    [first, ...others][below(others.length + 1)] ?? first
  const at = () => 1 + below(maxEvents)
  const crash = (): Disturbance => ({
    _tag: "Crash",
    how: pick("kill", "power cut"),
    at: at(),
    pause: pick(0, 3_000, 20_000, 60_000, 7_200_000)
  })
  const others = (): ReadonlyArray<Disturbance> => [
    ...(often(0.15) ? [{ _tag: "DiskFull", at: at() } as const] : []),
    ...(often(0.15) ? [{ _tag: "ClockSet", at: at(), by: pick(-3_600_000, -30_000, 600_000) } as const] : []),
    ...(often(0.1) ? [{ _tag: "TaskLost", at: at() } as const] : [])
  ]
  const before = [0, 1, 2].slice(0, 1 + below(3))
  // An edit in between replaces a line.
  const after = often(0.2) ? [...before.slice(1), 3] : before
  const disturbed: ReadonlyArray<Run> = Array.from({ length: 1 + below(2) }, () => ({
    lines: before,
    disturbances: [...(often(0.8) ? [crash()] : []), ...others()]
  }))
  return {
    seed,
    // A service that swaps answers, and repeats neither label nor text, cannot be seen through.
    faults: { ...drawService(seed).faults, swap: 0 },
    listedAfter: pick(0, 0, 3_000, 15_000),
    maxCredits: often(0.15) ? 20 + below(120) : undefined,
    runs: [...disturbed, { lines: after, disturbances: [] }]
  }
}

/** The checksums of all lines' clips, as an undisturbed run makes them. Not every drawn service can be understood. */
const rightClips = Effect.runSync(
  Effect.cached(
    Effect.gen(function* () {
      for (let seed = 1; ; seed++) {
        const { lines } = yield* runSchedule({
          seed,
          faults: noFaults,
          listedAfter: 0,
          maxCredits: undefined,
          runs: [{ lines: allLines.map((_, line) => line), disturbances: [] }]
        })
        if (lines.every(({ state }) => state === "fetched"))
          return new Map(lines.map(({ text, clip }) => [text, clip]))
      }
    })
  )
)

/** A law of every batch, and how an outcome breaks it. */
export interface Breach {
  readonly law: "paid once" | "within the budget" | "each line its own clip" | "no line is lost" | "ends"
  readonly words: string
}

/** Returns the law that a schedule's outcome breaks, with what shows it; undefined if it breaks none. */
const brokenLaw = (
  { maxCredits }: Schedule,
  { paid, lost, known, lines, halts, seconds }: Outcome,
  right: ReadonlyMap<string, string | undefined>
): Breach | undefined => {
  for (const text of new Set(paid.map((task) => task.text))) {
    const tasks = paid.filter((task) => task.text === text)
    const gone = tasks.filter(({ id }) => lost.has(id))
    if (tasks.length > 1 + gone.length)
      return {
        law: "paid once",
        words: `"${text}" is paid ${tasks.length} times, and ${gone.length} are lost`
      }
  }
  const cost = paid.reduce((sum, { text }) => sum + text.length, 0)
  const unknown = paid.reduce((sum, { id, text }) => sum + (known.has(id) ? 0 : text.length), 0)
  if (maxCredits !== undefined && cost > maxCredits + unknown)
    return {
      law: "within the budget",
      words: `${cost} credits are spent of ${maxCredits}; ${unknown} of them unknowingly`
    }
  for (const { text, state, reason, clip } of lines) {
    if (state === "fetched" && clip !== right.get(text))
      return { law: "each line its own clip", words: `"${text}" has the clip of something else` }
    if (state !== "fetched" && reason === undefined && (halts.at(-1) ?? "") === "")
      return { law: "no line is lost", words: `"${text}" is ${state}, for no reason` }
  }
  return seconds > 3_600 ? { law: "ends", words: `a run took ${seconds} s` } : undefined
}

/** Runs a schedule; returns the law that it breaks, if any. */
export const checkSchedule = (schedule: Schedule): Effect.Effect<Breach | undefined> =>
  Effect.gen(function* () {
    const right = yield* rightClips
    return brokenLaw(schedule, yield* runSchedule(schedule), right)
  })

/** Returns the shortest schedule that still breaks a law: without each thing that it can break the law without. */
export const shortest = (schedule: Schedule, law: Breach["law"]): Effect.Effect<Schedule> =>
  Effect.gen(function* () {
    for (const simpler of simplerThan(schedule))
      if ((yield* checkSchedule(simpler))?.law === law) return yield* shortest(simpler, law)
    return schedule
  })

const simplerThan = (schedule: Schedule): ReadonlyArray<Schedule> => {
  const { runs, faults } = schedule
  const without = <A>(list: ReadonlyArray<A>, at: number) => list.filter((_, index) => index !== at)
  const faultNames = ["create", "look", "list", "audio", "swap"] as const
  return [
    ...runs.slice(0, -1).map((_, at) => ({ ...schedule, runs: without(runs, at) })),
    ...runs.flatMap((run, at) =>
      run.disturbances.map((_, index) => ({
        ...schedule,
        runs: runs.with(at, { ...run, disturbances: without(run.disturbances, index) })
      }))
    ),
    ...[...new Set(runs.flatMap(({ lines }) => lines))].flatMap((line) =>
      runs.every(({ lines }) => lines.some((other) => other !== line))
        ? [
            {
              ...schedule,
              runs: runs.map((run) => ({ ...run, lines: run.lines.filter((one) => one !== line) }))
            }
          ]
        : []
    ),
    ...faultNames.flatMap((name) =>
      faults[name] > 0 ? [{ ...schedule, faults: { ...faults, [name]: 0 } }] : []
    ),
    ...(schedule.listedAfter > 0 ? [{ ...schedule, listedAfter: 0 }] : []),
    ...(schedule.maxCredits === undefined ? [] : [{ ...schedule, maxCredits: undefined }])
  ]
}
