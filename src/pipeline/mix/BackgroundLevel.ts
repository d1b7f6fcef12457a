/**
 * Finds the voices' level over a background. The background keeps its own level, so the loudness of the sum depends on
 * the film. It is computed from steps of 100 ms all over the film, in which the powers of both add up.
 */
import { Effect } from "effect"
import type { Buffer32 } from "../../audio/kernels/BufferPool.ts"
import { GainSearch } from "../../audio/level/GainSearch.ts"
import { Limiter } from "../../audio/level/Limiter.ts"
import { channelWeights, LoudnessSteps, stepsASecond } from "../../audio/level/LoudnessSteps.ts"
import { blocksOfBoth, gatedLoudness, withinOne } from "../../audio/level/StepLoudness.ts"
import { TruePeakMeter } from "../../audio/level/TruePeak.ts"
import { decibelsOf, gainOf } from "../../audio/pcm/Pcm.ts"
import type { SampleRate } from "../../domain/time/Units.ts"
import { ClipFolder } from "../../store/files/ClipFolder.ts"
import { failureOf } from "./SectionWorkerProtocol.ts"
import { mixedSection, SectionRenderer } from "./SectionRenderer.ts"
import { renderFault } from "./ProgrammeRenderer.ts"
import { mixLinesIn, type Programme } from "./MixLines.ts"
import { BackgroundReader, type Bed } from "./BackgroundReader.ts"

/** The target of the voices' level. */
export interface VoiceGoal {
  /** LUFS, of the spoken lines or of everything. */
  readonly loudness: number
  readonly over: "dialogue" | "programme"
  /** The highest allowed true peak in dBTP. */
  readonly peak: number
}

/** A level, and how to correct it. */
export interface VoiceLevel {
  /** Amplitude factor. */
  readonly gain: number
  /** Returns the gain if a render with `gain` measured this many LUFS. */
  readonly corrected: (measured: number) => number
}

/**
 * Length of each excerpt, of the run-in before it, in which filters settle, and of all excerpts together, in seconds.
 */
const excerptSeconds = 2
const runInSeconds = 0.5
const allSeconds = 160

/** Levels of the voices that are considered, in decibels. */
const lowest = -60
const highest = 60

/** Maximum number of rounds of the search if peaks are limited, and maximum reduction of peaks in dB. */
const maxRounds = 6
const maxHeld = 30

/** Returns the voices' level at which the sum has the wanted loudness. */
export const levelOverBackground = Effect.fnUntraced(function* (
  programme: Programme,
  bed: Bed,
  goal: VoiceGoal,
  allocate: Buffer32
) {
  const { state, folder } = yield* ClipFolder
  return yield* Effect.try({
    try: () => searchLevel(new Excerpts(programme, bed, goal, folder, allocate), goal),
    catch: failureOf
  }).pipe(Effect.catchAll((failure) => renderFault(failure, [], state)))
})

const searchLevel = (excerpts: Excerpts, goal: VoiceGoal): VoiceLevel => {
  const { loudness, peak } = goal
  const plain = excerpts.voices(0, undefined)
  /** The loudness at a level if peaks are not limited. */
  const at = (level: number) => excerpts.loudness(plain.powers, level)
  const corrected = (gain: number, expected: number) => (measured: number) =>
    gain * gainOf(solved(at, loudness - (measured - expected)) - solved(at, expected))
  // A voice too soft to be measured stays as it is.
  if (at(highest) - at(lowest) < 0.1) return { gain: 1, corrected: () => 1 }
  // Over a background that is too loud by itself, the voice alone has the wanted loudness.
  if (at(lowest) > loudness) {
    const alone = gainOf(solved((level) => excerpts.loudness(plain.powers, level, false), loudness))
    return { gain: alone, corrected: () => alone }
  }
  const level = solved(at, loudness)
  if (plain.peak + level <= peak)
    return { gain: gainOf(level), corrected: corrected(gainOf(level), at(level)) }
  const search = new GainSearch(loudness, level, peak - plain.peak + maxHeld)
  let came = loudness
  for (let round = 0; round < maxRounds; round++) {
    came = excerpts.loudness(excerpts.voices(search.level, peak).powers, 0)
    if (search.isFound(came)) break
  }
  return { gain: gainOf(search.level), corrected: corrected(gainOf(search.level), came) }
}

/** Finds the level that gives the wanted loudness. The loudness rises with the level. */
const solved = (loudnessAt: (level: number) => number, wanted: number): number => {
  let low = lowest
  let high = highest
  for (let step = 0; step < 30; step++) {
    const middle = (low + high) / 2
    if (loudnessAt(middle) < wanted) low = middle
    else high = middle
  }
  return (low + high) / 2
}

/** The measured parts of a film: evenly spread over it, or over its lines. */
class Excerpts {
  private readonly windows: ReadonlyArray<Window>
  private readonly bedPowers: ReadonlyArray<Float64Array>
  private readonly isWanted: (from: number, to: number) => boolean

  constructor(
    private readonly programme: Programme,
    private readonly bed: Bed,
    { over }: Pick<VoiceGoal, "over">,
    private readonly clips: string,
    private readonly allocate: Buffer32
  ) {
    const { rate, length, placements } = programme
    const spoken = placements.map(({ start, end }) => ({ start: start / 1000, end: end / 1000 }))
    this.isWanted = over === "dialogue" ? withinOne(spoken) : () => true
    this.windows = windowsOf(
      length / rate,
      rate,
      over === "dialogue" ? spoken.map(({ start, end }) => (start + end) / 2) : undefined
    )
    this.bedPowers = this.windows.map((window) => this.bedIn(window))
  }

  /** The loudness of the wanted parts, with these voices at a level, with or without the background. */
  loudness(voices: ReadonlyArray<Float64Array>, level: number, withBed = true): number {
    const { rate } = this.programme
    const factor = gainOf(level) ** 2
    return gatedLoudness(
      this.windows.flatMap(({ step }, at) =>
        blocksOfBoth(
          voices[at] ?? [],
          factor,
          withBed ? this.bedPowers[at] : undefined,
          rate,
          step,
          this.isWanted
        )
      )
    )
  }

  /** Renders the voices at a level in decibels; returns their powers by window, and their true peak in dBTP. */
  voices(level: number, peak: number | undefined) {
    const { rate, channels } = this.programme
    const loudest = new TruePeakMeter(channels, this.allocate)
    const renderer = new SectionRenderer(this.clips)
    const powers = this.windows.map((window) => {
      const steps = stepsIn(window, rate, channels)
      const lines = mixLinesIn(this.programme, window, [])
      const limiter =
        peak === undefined ? undefined : new Limiter(rate, channels, gainOf(peak), gainOf(level))
      for (const [block] of mixedSection({ rate, channels, stems: 0 }, window, lines, renderer)) {
        const limited = limiter?.push(block) ?? block
        steps.push(limited)
        loudest.push(limited)
      }
      if (limiter !== undefined) steps.push(limiter.flush())
      renderer.clear()
      return steps.powers()
    })
    return { powers, peak: decibelsOf(Math.max(1e-6, loudest.peak())) }
  }

  private bedIn(window: Window): Float64Array {
    const { rate, channels } = this.bed.track
    const reader = new BackgroundReader(this.bed, this.allocate)
    try {
      const steps = stepsIn(window, rate, channels)
      for (let at = window.begin; at < window.end; at += rate)
        steps.push(reader.read(at, Math.min(rate, window.end - at)))
      return steps.powers()
    } finally {
      reader.close()
    }
  }
}

/** A part of a film. */
interface Window {
  /** Its frames, with the run-in. */
  readonly begin: number
  readonly end: number
  /** Steps of the run-in, and the number of the first step behind it. */
  readonly runIn: number
  readonly step: number
}

/** Returns the whole film if it is short, else excerpts around these times, or evenly spread. */
const windowsOf = (
  seconds: number,
  rate: number,
  times: ReadonlyArray<number> | undefined
): ReadonlyArray<Window> => {
  const end = Math.floor(seconds * rate)
  if (seconds <= allSeconds) return [{ begin: 0, end, runIn: 0, step: 0 }]
  const most = allSeconds / excerptSeconds
  const evenly = (of: number) => Array.from({ length: most }, (_, at) => ((at + 0.5) * of) / most)
  const middles =
    times === undefined || times.length === 0
      ? evenly(seconds)
      : times.length <= most
        ? times
        : evenly(times.length).map((at) => times[Math.floor(at)] ?? 0)
  return middles.map((middle) => {
    const start = Math.max(0, Math.floor(middle) - excerptSeconds / 2)
    const runIn = start === 0 ? 0 : runInSeconds * stepsASecond
    return {
      begin: Math.round(((start * stepsASecond - runIn) / stepsASecond) * rate),
      end: Math.min(end, (start + excerptSeconds) * rate),
      runIn,
      step: start * stepsASecond
    }
  })
}

/** Collects the powers of a window's steps, without its run-in. */
const stepsIn = ({ runIn }: Window, rate: SampleRate, channels: number) => {
  const powers: Array<number> = []
  const steps = new LoudnessSteps(
    rate,
    channels,
    (power) => void powers.push(power),
    channelWeights[channels]
  )
  return {
    push: (block: Float32Array) => steps.push(block),
    powers: () => Float64Array.from(powers.slice(runIn))
  }
}
