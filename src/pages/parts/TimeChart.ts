/** The chart of every cue's speed and shift over the programme, as inline SVG. */
import type { JobReport } from "../../domain/report/Report.ts"
import { type Html, html } from "./Html.ts"
import { axisTimes, formatFactor, formatSignedSeconds } from "./TimeFormat.ts"

/** The speed limit assumed for reports that do not record the job's own. */
const usualLimit = 1.3

/**
 * Renders the chart: two plots on one time axis, with a stroke per cue from its start to its end. It covers the whole
 * programme; the page's script narrows it to the part that the waveform shows.
 */
export const timeChart = ({ cues, duration, metrics, fit }: JobReport): Html => {
  const heard = cues.flatMap(({ placed, start, flags }) =>
    placed === undefined ? [] : [{ ...placed, isFast: flags.includes("fast"), shift: placed.start - start }]
  )
  const limit = fit?.maxSpeed ?? usualLimit
  const speeds = heard.map(({ speed }) => speed)
  const shifts = heard.map(({ shift }) => Math.abs(shift))
  const speedMost = Math.max(limit, fit?.hardMaxSpeed ?? 0, highest(speeds))
  const speedBottom = Math.min(0.9, lowest(speeds) - 0.05)
  // Leaves space for the label above the highest line.
  const speedTop = speedMost + 0.26 * (speedMost - speedBottom)
  const isShifted = heard.length === 0 || shifts.some((shift) => shift >= 0.005)
  const shiftEnd = Math.max(0.5, highest(shifts) * 1.1)
  const length = Math.max(duration, 0.001)
  const strokes = (
    value: (cue: (typeof heard)[number]) => number,
    from: number,
    to: number,
    isOff: (cue: (typeof heard)[number]) => boolean
  ) =>
    [false, true].map((wanted) =>
      heard
        .filter((cue) => isOff(cue) === wanted)
        .map((cue) => stroke(cue.start, cue.end, share(value(cue), from, to)))
        .join("")
    )
  const [steady = "", hurried = ""] = strokes(
    ({ speed }) => speed,
    speedBottom,
    speedTop,
    ({ isFast }) => isFast
  )
  const [close = "", off = ""] = strokes(
    ({ shift }) => shift,
    -shiftEnd,
    shiftEnd,
    ({ shift }) => Math.abs(shift) > 0.3 + 1e-9
  )
  const speedLine = (speed: number, kind: Line["kind"]): Line => ({
    at: share(speed, speedBottom, speedTop),
    label: formatFactor(speed),
    kind
  })
  const shiftPlot = () =>
    plot(
      "Shift",
      length,
      [
        { at: 1, label: formatSignedSeconds(shiftEnd), kind: "end" },
        { at: 0.5, label: "0.00 s", kind: "zero" },
        { at: 0, label: formatSignedSeconds(-shiftEnd), kind: "end" }
      ],
      close,
      off
    )
  return html`<details class="chart" id="chart">
    <summary>${isShifted ? "Speed and shift over time" : "Speed over time"}</summary>
    <figure>
      <figcaption id="chart-words">
        Playback speed of each cue${isShifted ? ", and how far its speech starts from the cue's start," : ""}
        for the part of the programme shown in the waveform. Speed: median ${formatFactor(metrics.speed.p50)},
        maximum ${formatFactor(metrics.speed.max)}.
        ${isShifted ? `Shift: median ${metrics.onsetShift.p50.toFixed(2)} s, maximum ${metrics.onsetShift.max.toFixed(2)} s.` : "Every line starts on its cue."}
      </figcaption>
      ${plot(
        "Speed",
        length,
        [
          ...(fit === undefined || fit.hardMaxSpeed - limit < 0.05
            ? []
            : [speedLine(fit.hardMaxSpeed, "hard")]),
          speedLine(limit, "limit"),
          speedLine(1, "zero")
        ],
        steady,
        hurried
      )}
      ${isShifted ? shiftPlot() : undefined}
      <div class="ticks" id="chart-ticks" aria-hidden="true">
        ${axisTimes(0, duration).map((time) => html`<span>${time}</span>`)}
      </div>
      <p id="chart-cue" aria-hidden="true"></p>
    </figure>
  </details>`
}

interface Line {
  /** 0 at the bottom, 1 at the top. */
  readonly at: number
  readonly label: string
  readonly kind: "hard" | "limit" | "zero" | "end"
}

/** Renders one plot; its horizontal unit is the second. The labels are behind it, each above its line. */
const plot = (name: string, length: number, lines: ReadonlyArray<Line>, usual: string, off: string): Html =>
  html`<div class="plot">
    <div class="scale" aria-hidden="true">
      <span class="name">${name}</span>
      ${lines.map(({ at, label }) => html`<span style="${at === 1 ? "top:0" : `bottom:${tenth(at * 100)}%`}">${label}</span>`)}
    </div>
    <svg
      viewBox="0 0 ${length} 100"
      preserveAspectRatio="none"
      role="img"
      aria-label="${name} over time"
      aria-describedby="chart-words"
    >
      ${lines.filter(({ kind }) => kind !== "end").map(({ at, kind }) => html`<path class="${kind}" d="M0 ${tenth((1 - at) * 100)}H${length}" />`)}
      <path class="usual" d="${usual}" />
      <path class="off" d="${off}" />
      <path class="playhead" d="M0 0V100" />
    </svg>
  </div>`

/** SVG path data of a horizontal stroke, from and to in seconds. */
const stroke = (from: number, to: number, level: number): string =>
  `M${hundredth(from)} ${tenth((1 - level) * 100)}h${hundredth(to - from)}`

const share = (value: number, from: number, to: number): number => (value - from) / (to - from)

const hundredth = (value: number): number => Math.round(value * 100) / 100

const tenth = (value: number): number => Math.round(value * 10) / 10

const highest = (values: ReadonlyArray<number>): number => values.reduce((a, b) => Math.max(a, b), 0)
const lowest = (values: ReadonlyArray<number>): number => values.reduce((a, b) => Math.min(a, b), 1)
