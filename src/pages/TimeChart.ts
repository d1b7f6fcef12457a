/** Speed and shift of every cue over the programme's time, as a drawing in the page itself. */
import type { JobReport } from "../domain/Report.ts"
import { type Html, html } from "./Html.ts"
import { clock, factor, signedSeconds } from "./Times.ts"

/** The drawing: two plots over one time, a mark for each cue from where it starts to where it ends. */
export const timeChart = ({ cues, duration, metrics }: JobReport): Html => {
  const heard = cues.flatMap(({ placed, start, index }) =>
    placed === undefined ? [] : [{ ...placed, index, shift: placed.start - start }]
  )
  const speeds = heard.map(({ speed }) => speed)
  const shifts = heard.map(({ shift }) => Math.abs(shift))
  const speedTop = Math.max(1.4, highest(speeds) + 0.05)
  const speedBottom = Math.min(0.9, lowest(speeds) - 0.05)
  const shiftEnd = Math.max(0.5, highest(shifts) * 1.1)
  const length = Math.max(duration, 0.001)
  const strokes = (
    value: (cue: (typeof heard)[number]) => number,
    from: number,
    to: number,
    off: (value: number) => boolean
  ) =>
    [false, true].map((wanted) =>
      heard
        .filter((cue) => off(value(cue)) === wanted)
        .map((cue) => stroke(cue.start / length, cue.end / length, (value(cue) - from) / (to - from)))
        .join("")
    )
  const [steady = "", hurried = ""] = strokes(
    ({ speed }) => speed,
    speedBottom,
    speedTop,
    (speed) => speed > 1.3 + 1e-9
  )
  const [close = "", off = ""] = strokes(
    ({ shift }) => shift,
    -shiftEnd,
    shiftEnd,
    (shift) => Math.abs(shift) > 0.3 + 1e-9
  )
  return html`<figure class="chart" id="chart">
    <figcaption id="chart-words">
      Speed and onset shift of every cue over time. Speed: median ${factor(metrics.speed.p50)}, highest
      ${factor(metrics.speed.max)}. Shift: median ${metrics.onsetShift.p50.toFixed(2)} s, greatest
      ${metrics.onsetShift.max.toFixed(2)} s.
    </figcaption>
    ${plot(
      "Speed",
      [
        { at: share(1.3, speedBottom, speedTop), label: "1.30×", kind: "limit" },
        { at: share(1, speedBottom, speedTop), label: "1.00×", kind: "zero" }
      ],
      steady,
      hurried
    )}
    ${plot(
      "Shift",
      [
        { at: 0.955, label: signedSeconds(shiftEnd), kind: "end" },
        { at: 0.5, label: "0.00 s", kind: "zero" },
        { at: 0.045, label: signedSeconds(-shiftEnd), kind: "end" }
      ],
      close,
      off
    )}
    <div class="ticks" aria-hidden="true">
      ${[0, 1, 2, 3, 4].map((quarter) => html`<span>${tick((duration * quarter) / 4, duration)}</span>`)}
    </div>
    <p id="chart-cue" aria-hidden="true"></p>
  </figure>`
}

interface Line {
  /** 0 at the bottom, 1 at the top. */
  readonly at: number
  readonly label: string
  readonly kind: "limit" | "zero" | "end"
}

const plot = (name: string, lines: ReadonlyArray<Line>, usual: string, off: string): Html =>
  html`<div class="plot">
    <span class="name" aria-hidden="true">${name}</span>
    <div class="scale" aria-hidden="true">
      ${lines.map(({ at, label }) => html`<span style="bottom:${tenth(at * 100)}%">${label}</span>`)}
    </div>
    <svg
      viewBox="0 0 1000 100"
      preserveAspectRatio="none"
      role="img"
      aria-label="${name} over time"
      aria-describedby="chart-words"
    >
      ${lines.filter(({ kind }) => kind !== "end").map(({ at, kind }) => html`<path class="${kind}" d="M0 ${tenth((1 - at) * 100)}H1000" />`)}
      <path class="usual" d="${usual}" />
      <path class="off" d="${off}" />
      <path class="playhead" d="M0 0V100" />
    </svg>
  </div>`

/** A moment on the axis: to the tenth of a second where the whole lasts no more than a minute. */
const tick = (seconds: number, duration: number): string =>
  duration < 60
    ? clock(Math.round(seconds * 10) / 10).slice(0, -2)
    : clock(Math.round(seconds)).replace(/\.\d+$/u, "")

/** A mark from one moment to another, at least so long that it can be seen. */
const stroke = (from: number, to: number, level: number): string =>
  `M${tenth(from * 1000)} ${tenth((1 - level) * 100)}h${tenth(Math.max(0.3, (to - from) * 1000))}`

const share = (value: number, from: number, to: number): number => (value - from) / (to - from)

const tenth = (value: number): number => Math.round(value * 10) / 10

const highest = (values: ReadonlyArray<number>): number => values.reduce((a, b) => Math.max(a, b), 0)
const lowest = (values: ReadonlyArray<number>): number => values.reduce((a, b) => Math.min(a, b), 1)
