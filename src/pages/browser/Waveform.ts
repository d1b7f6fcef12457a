/** The waveform with the cues on it. */
import WaveSurfer from "wavesurfer.js"
import RegionsPlugin, { type Region } from "wavesurfer.js/dist/plugins/regions.js"
import type { PageCue, PageData } from "../data/PageData.ts"

/** As close as one can look, in pixels a second. */
const closest = 240

/** What is shown at first of a long programme, in pixels a second: about a minute and a half on a wide screen. */
const firstLook = 14

/**
 * Only so many cues are drawn at once; where more are in sight they would be a blur, and only those to look at remain.
 */
const mostRegions = 300

/** Draws the waveform; cues are drawn only where they are in sight. */
export class Waveform {
  private readonly wave: WaveSurfer
  private readonly regions = RegionsPlugin.create()
  private readonly drawn = new Map<number, Region>()
  /** What holds the waveform and scrolls it. */
  private readonly strip: HTMLElement
  private current: number | undefined
  private ready = false
  private sight: readonly [from: number, to: number] = [0, 0]

  constructor(
    container: HTMLElement,
    media: HTMLMediaElement | undefined,
    private readonly data: PageData,
    chosen: (at: number) => void,
    /** Called with the part in sight, in seconds, whenever that changes. */
    private readonly seen: (from: number, to: number) => void
  ) {
    const width = Math.max(container.clientWidth, 1)
    const fitting = width / Math.max(data.duration, 0.1)
    this.wave = WaveSurfer.create({
      container,
      height: width < 600 ? 64 : 96,
      peaks: [levelsOf(data.peaks)],
      duration: Math.max(data.duration, 0.1),
      minPxPerSec: Math.min(closest, Math.max(fitting, firstLook)),
      cursorWidth: 2,
      normalize: true,
      plugins: [this.regions],
      ...colours(),
      ...(media === undefined ? {} : { media })
    })
    this.strip = this.wave.getWrapper().parentElement ?? container
    this.strip.tabIndex = 0
    this.strip.setAttribute("role", "group")
    this.strip.setAttribute("aria-label", "The waveform with the cues on it; arrow keys scroll it")
    this.wave.on("ready", () => {
      this.ready = true
      this.look()
    })
    this.wave.on("scroll", () => this.look())
    this.wave.on("redrawcomplete", () => this.look())
    new ResizeObserver(() => this.look()).observe(this.wave.getWrapper())
    this.regions.on("region-clicked", (region, event) => {
      event.stopPropagation()
      chosen(Number(region.id.slice(4)))
    })
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
      this.wave.setOptions(colours())
      this.redraw()
    })
  }

  /** How far the waveform is zoomed in, from 0 (all of it in sight) to 1. */
  get zoom(): number {
    const span = Math.log(closest / this.fitting)
    return span <= 0 ? 0 : Math.max(0, Math.min(1, Math.log(this.scale / this.fitting) / span))
  }

  set zoom(zoom: number) {
    if (!this.ready) return
    const span = Math.max(0, Math.log(closest / this.fitting))
    this.wave.zoom(this.fitting * Math.exp(span * Math.max(0, Math.min(1, zoom))))
    this.redraw()
    this.look()
  }

  /** Marks a cue as the current one and brings it into sight. */
  show(at: number): void {
    const before = this.current
    this.current = at
    for (const each of [before, at]) {
      if (each === undefined) continue
      this.drawn.get(each)?.remove()
      this.drawn.delete(each)
    }
    const cue = this.data.cues[at]
    if (!this.ready || cue === undefined) return
    const [from, to] = timesOf(cue)
    const [left, right] = this.sight
    if (from < left || to > right) this.wave.setScrollTime(Math.max(0, from - (right - left) / 4))
    this.draw()
  }

  /** Pixels a second at which all of the programme is in sight. */
  private get fitting(): number {
    return Math.max(this.strip.clientWidth, 1) / Math.max(this.data.duration, 0.1)
  }

  /** Pixels a second as drawn: a waveform that would leave room is stretched to fill it. */
  private get scale(): number {
    return Math.max(this.fitting, this.wave.options.minPxPerSec)
  }

  /** Finds out which part is in sight, by what is on the screen. */
  private look(): void {
    if (!this.ready) return
    const { scrollLeft, scrollWidth, clientWidth } = this.strip
    const perPixel = Math.max(this.data.duration, 0.1) / Math.max(scrollWidth, 1)
    this.sight = [scrollLeft * perPixel, (scrollLeft + clientWidth) * perPixel]
    this.seen(...this.sight)
    this.draw()
  }

  private redraw(): void {
    for (const region of this.drawn.values()) region.remove()
    this.drawn.clear()
    this.draw()
  }

  private draw(): void {
    if (!this.ready) return
    const [left, right] = this.sight
    const margin = (right - left) / 2
    const near = this.data.cues.flatMap((cue, at) => {
      const [from, to] = timesOf(cue)
      const shown =
        (cue.heard !== undefined || cue.mark === "failed") && to > left - margin && from < right + margin
      return shown ? [at] : []
    })
    const wanted = new Set(
      near.length <= mostRegions
        ? near
        : near
            .filter((at) => at === this.current || this.data.cues[at]?.mark !== "none")
            .slice(0, mostRegions)
    )
    for (const [at, region] of this.drawn) {
      if (wanted.has(at)) continue
      region.remove()
      this.drawn.delete(at)
    }
    for (const at of wanted) {
      const cue = this.data.cues[at]
      if (cue !== undefined && !this.drawn.has(at)) this.drawn.set(at, this.regionOf(cue, at))
    }
  }

  /** Pixels from a cue's start to its end, or to the next cue's start where that comes first. */
  private roomAt(at: number): number {
    const [cue, next] = [this.data.cues[at], this.data.cues[at + 1]]
    if (cue === undefined) return 0
    const [start, end] = timesOf(cue)
    return ((next === undefined ? end : Math.min(end, timesOf(next)[0])) - start) * this.scale
  }

  private regionOf(cue: PageCue, at: number): Region {
    const [start, end] = timesOf(cue)
    return this.regions.addRegion({
      id: `cue-${at}`,
      start,
      end: Math.max(end, start + 0.02),
      color: colour(at === this.current ? "--cue-current" : `--cue-${cue.mark}`),
      drag: false,
      resize: false,
      ...(this.roomAt(at) > labelWidth(cue.index) ? { content: labelOf(cue.index) } : {})
    })
  }
}

const timesOf = (cue: PageCue): readonly [number, number] => cue.heard ?? [cue.start, cue.end]

const levelsOf = (packed: string): Float32Array => {
  const bytes = atob(packed)
  return Float32Array.from(
    { length: Math.max(1, bytes.length) },
    (_, at) => (bytes.charCodeAt(at) || 0) / 255
  )
}

/** What a cue's number takes, in pixels, so that it does not touch its neighbour's. */
const labelWidth = (index: number): number => Math.max(22, 8 + 8 * `${index}`.length)

const labelOf = (index: number): HTMLElement => {
  const label = document.createElement("span")
  label.textContent = `${index}`
  label.style.cssText =
    "font: 11px/1.3 system-ui, sans-serif; margin: 1px; padding: 0 3px; border-radius: 3px; color: var(--text); background: var(--card); opacity: 85%; pointer-events: none"
  return label
}

const colour = (name: string): string =>
  getComputedStyle(document.documentElement).getPropertyValue(name).trim()

const colours = () => ({
  waveColor: colour("--wave"),
  progressColor: colour("--wave-heard"),
  cursorColor: colour("--cursor")
})
