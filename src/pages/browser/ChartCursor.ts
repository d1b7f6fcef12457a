/** The speed and shift plots: drawn over what the waveform shows, with the playhead and a click that plays a cue. */
import type { PageData } from "../data/PageData.ts"
import { axisTimes } from "../parts/TimeFormat.ts"
import { byId } from "./Dom.ts"

/** The drawing over the part of the programme that the waveform shows. */
export class ChartCursor {
  private readonly chart = byId("chart", HTMLElement)
  private readonly ticks = byId("chart-ticks", HTMLElement)
  private readonly heads = [...this.chart.querySelectorAll(".playhead")]
  private readonly plots = [...this.chart.querySelectorAll("svg")]
  /** The part that is shown, in seconds. */
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
        words.textContent = cue === undefined ? "" : `Cue ${cue.index}: click to hear it`
      })
      plot.addEventListener("pointerleave", () => (words.textContent = ""))
    }
  }

  /** Shows the part from one moment to another, in seconds. */
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

/** The place of the heard cue nearest to a moment. */
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
