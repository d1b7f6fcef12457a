/** The waveform of a job's page, with the cues drawn on it as regions (wavesurfer.js). */
import WaveSurfer from "wavesurfer.js"
import RegionsPlugin, { type Region } from "wavesurfer.js/dist/plugins/regions.js"
import type { PageCue, PageData } from "../../data/PageData.ts"

/** Maximum zoom, in pixels per second. */
const closest = 240

/** Initial zoom of a long programme, in pixels per second: shows about 90 s on a wide screen. */
const firstLook = 14

/** Maximum number of cues drawn. If more are in view, they would blur, so only those to check are drawn. */
const maxRegions = 300

/** Share of the waveform's height that its loudest peak takes, so that no peak touches an edge. */
const maxPeak = 0.86

/** Distance between the rows of cue numbers, in pixels. */
const labelRow = 17

/** Rows of numbers for every cue, and for those that matter: the current one, its neighbours, and flagged ones. */
const [usualRows, maxRows] = [2, 3]

/** Draws the waveform, and the cues near the visible part. */
export class Waveform {
  private readonly wave: WaveSurfer
  private readonly regions = RegionsPlugin.create()
  private readonly drawn = new Map<number, { readonly region: Region; readonly row: number | undefined }>()
  private readonly colours = new Map<string, string>()
  /** The scrolling container of the waveform. */
  private readonly strip: HTMLElement
  private current: number | undefined
  private ready = false
  private sight: readonly [from: number, to: number] = [0, 0]

  constructor(
    container: HTMLElement,
    media: HTMLMediaElement | undefined,
    private readonly data: PageData,
    chosen: (at: number) => void,
    /** Called with the visible part, in seconds, whenever it changes. */
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
      barHeight: maxPeak,
      plugins: [this.regions],
      ...colours(),
      ...(media === undefined ? {} : { media })
    })
    this.strip = this.wave.getWrapper().parentElement ?? container
    this.strip.tabIndex = 0
    this.strip.setAttribute("role", "group")
    this.strip.setAttribute("aria-label", "Waveform with cues; arrow keys scroll")
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
      this.colours.clear()
      this.wave.setOptions(colours())
      this.redraw()
    })
  }

  /** The zoom level on a logarithmic scale, from 0 (whole programme visible) to 1. */
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

  /** Highlights a cue as the current one and scrolls it into view. */
  show(at: number): void {
    const before = this.current
    this.current = at
    for (const each of [before, at]) if (each !== undefined) this.erase(each)
    const cue = this.data.cues[at]
    if (!this.ready || cue === undefined) return
    const [from, to] = timesOf(cue)
    const [left, right] = this.sight
    if (from < left || to > right) this.wave.setScrollTime(Math.max(0, from - (right - left) / 4))
    this.draw()
  }

  /** Pixels per second at which the whole programme is visible. */
  private get fitting(): number {
    return Math.max(this.strip.clientWidth, 1) / Math.max(this.data.duration, 0.1)
  }

  /** Pixels per second as drawn: a waveform narrower than its container is stretched to fill it. */
  private get scale(): number {
    return Math.max(this.fitting, this.wave.options.minPxPerSec)
  }

  /** Derives the visible part from the scroll position, and redraws. */
  private look(): void {
    if (!this.ready) return
    const { scrollLeft, scrollWidth, clientWidth } = this.strip
    const perPixel = Math.max(this.data.duration, 0.1) / Math.max(scrollWidth, 1)
    this.sight = [scrollLeft * perPixel, (scrollLeft + clientWidth) * perPixel]
    this.seen(...this.sight)
    this.draw()
  }

  private redraw(): void {
    for (const at of [...this.drawn.keys()]) this.erase(at)
    this.draw()
  }

  private erase(at: number): void {
    this.drawn.get(at)?.region.remove()
    this.drawn.delete(at)
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
      near.length <= maxRegions
        ? near
        : near.filter((at) => at === this.current || this.data.cues[at]?.mark !== "none").slice(0, maxRegions)
    )
    const rows = this.labelRows([...wanted])
    for (const [at, { row }] of [...this.drawn]) if (!wanted.has(at) || row !== rows.get(at)) this.erase(at)
    const { scale } = this
    for (const at of wanted) {
      const cue = this.data.cues[at]
      if (cue === undefined || this.drawn.has(at)) continue
      const row = rows.get(at)
      this.drawn.set(at, { region: this.regionOf(cue, at, row, scale), row })
    }
  }

  /**
   * Finds a row for each cue's number, where it does not touch another; cues without one are not numbered. The current
   * cue and its neighbours come first, then flagged cues.
   */
  private labelRows(wanted: ReadonlyArray<number>): ReadonlyMap<number, number> {
    const { current = -Infinity } = this
    const matters = (at: number): number =>
      at === current ? 0 : Math.abs(at - current) === 1 ? 1 : this.data.cues[at]?.mark !== "none" ? 2 : 3
    const taken: ReadonlyArray<Array<readonly [left: number, right: number]>> = Array.from(
      { length: maxRows },
      () => []
    )
    const rows = new Map<number, number>()
    // Read once: reading a width after a change makes the browser lay the page out again.
    const { scale } = this
    for (const at of [...wanted].sort((a, b) => matters(a) - matters(b) || a - b)) {
      const cue = this.data.cues[at]
      if (cue === undefined) continue
      const left = this.labelLeft(cue, scale)
      const right = left + labelWidth(cue.index)
      const row = taken
        .slice(0, matters(at) < 3 ? maxRows : usualRows)
        .findIndex((labels) => labels.every(([from, to]) => right <= from || left >= to))
      if (row < 0) continue
      taken[row]?.push([left, right])
      rows.set(at, row)
    }
    return rows
  }

  /** A colour of the style sheet, read once: reading one after a change makes the browser compute all styles again. */
  private colour(name: string): string {
    const known = this.colours.get(name) ?? colour(name)
    this.colours.set(name, known)
    return known
  }

  /** The left edge of a cue's number, in pixels. A number beyond the end would widen the waveform, so it moves left. */
  private labelLeft(cue: PageCue, scale: number): number {
    return Math.min(timesOf(cue)[0] * scale, this.data.duration * scale - labelWidth(cue.index))
  }

  private regionOf(cue: PageCue, at: number, row: number | undefined, scale: number): Region {
    const [start, end] = timesOf(cue)
    const isCurrent = at === this.current
    const region = this.regions.addRegion({
      id: `cue-${at}`,
      start,
      end: Math.max(end, start + 0.02),
      // A flagged cue keeps its colour while it is the current one.
      color: this.colour(isCurrent && cue.mark === "none" ? "--cue-current" : `--cue-${cue.mark}`),
      drag: false,
      resize: false,
      ...(row === undefined
        ? {}
        : { content: labelOf(cue.index, row, this.labelLeft(cue, scale) - start * scale) })
    })
    if (isCurrent && region.element !== null) region.element.style.boxShadow = "inset 0 0 0 2px var(--accent)"
    return region
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

/** Pixels that a cue's number takes, with a gap to the next one. */
const labelWidth = (index: number): number => Math.max(22, 8 + 8 * `${index}`.length)

const labelOf = (index: number, row: number, shift: number): HTMLElement => {
  const label = document.createElement("span")
  label.textContent = `${index}`
  label.style.cssText =
    `position: relative; top: ${row * labelRow}px; left: ${shift}px; ` +
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
