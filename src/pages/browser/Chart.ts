/** The picture of speed and shift: where the sound is now, and a way to the cue under the pointer. */
import type { PageData } from "../PageData.ts"
import { byId } from "./Dom.ts"

/** Makes the drawing answer. */
export class Chart {
  private readonly heads: ReadonlyArray<Element>

  constructor(
    private readonly data: PageData,
    chosen: (at: number) => void
  ) {
    const chart = byId("chart", HTMLElement)
    const words = byId("chart-cue", HTMLElement)
    this.heads = [...chart.querySelectorAll(".playhead")]
    for (const plot of chart.querySelectorAll("svg")) {
      const cueAt = (event: MouseEvent) => {
        const { left, width } = plot.getBoundingClientRect()
        return nearest(data, ((event.clientX - left) / width) * data.duration)
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

  /** Moves the line that stands for now. */
  move(seconds: number): void {
    const x = (1000 * seconds) / Math.max(this.data.duration, 0.001)
    for (const head of this.heads) head.setAttribute("transform", `translate(${x.toFixed(2)} 0)`)
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
