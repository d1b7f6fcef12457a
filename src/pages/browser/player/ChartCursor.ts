/** The speed and shift chart in the browser: follows the waveform's zoom and the playhead; a click plays a cue. */
import type { PageData } from "../../data/PageData.ts"
import { axisTimes } from "../../parts/TimeFormat.ts"
import { byId } from "../Dom.ts"

/** Keeps the chart in step with the part of the programme that the waveform shows. */
export class ChartCursor {
  private readonly chart = byId("chart", HTMLElement)
  private readonly ticks = byId("chart-ticks", HTMLElement)
  private readonly heads = [...this.chart.querySelectorAll(".playhead")]
  private readonly plots = [...this.chart.querySelectorAll("svg")]
  /** The visible part, in seconds. */
  private sight: readonly [from: number, to: number]

  constructor(data: PageData, chosen: (at: number) => void) {
    const words = byId("chart-cue", HTMLElement)
    this.sight = [0, data.duration]
    for (const plot of this.plots) {
      const cueAt = (event: MouseEvent) => {
        const { left, width } = plot.getBoundingClientRect()
        const [from, to] = this.sight
        return nearest(data, from + ((event.clientX - left) / width) * (to - from))
      }
      plot.addEventListener("click", (event) => {
        const at = cueAt(event)
        if (at !== undefined) chosen(at)
      })
      plot.addEventListener("pointermove", (event) => {
        const cue = data.cues[cueAt(event) ?? -1]
        words.textContent = cue === undefined ? "" : `Cue ${cue.index}: click to play it`
      })
      plot.addEventListener("pointerleave", () => (words.textContent = ""))
    }
  }

  /** Shows the part between two times, in seconds. */
  show(from: number, to: number): void {
    if (to <= from) return
    this.sight = [from, to]
    for (const plot of this.plots) plot.setAttribute("viewBox", `${from} 0 ${to - from} 100`)
    const times = axisTimes(from, to)
    ;[...this.ticks.children].forEach((tick, at) => (tick.textContent = times[at] ?? ""))
  }

  /** Moves the line that marks the current position. */
  move(seconds: number): void {
    for (const head of this.heads) head.setAttribute("transform", `translate(${seconds.toFixed(3)} 0)`)
  }
}

/** Returns the position of the audible cue nearest to a time; undefined if no cue is audible. */
const nearest = ({ cues }: PageData, seconds: number): number | undefined => {
  let best: number | undefined
  let distance = Infinity
  cues.forEach(({ heard }, at) => {
    if (heard === undefined) return
    const away = Math.max(heard[0] - seconds, seconds - heard[1], 0)
    if (away < distance) {
      best = at
      distance = away
    }
  })
  return best
}
