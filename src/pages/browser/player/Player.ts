/** Playback on a page: the whole programme, or one cue, once or in a loop. */

/** Plays a media element; checks on every screen frame whether to stop at a cue's end. */
export class Player {
  private part: { readonly from: number; readonly until: number; readonly loops: boolean } | undefined
  private readonly watchers: Array<(seconds: number, playing: boolean) => void> = []
  /** Number of versions of the file before the one that is loaded. */
  private version = 0
  /** Whether the file has a newer version than the one that is loaded. */
  private isOutdated = false

  constructor(
    private readonly media: HTMLMediaElement | undefined,
    private readonly failed: () => void
  ) {
    if (media === undefined) return
    media.addEventListener("play", () => this.frame())
    for (const event of ["pause", "seeked", "timeupdate", "loadedmetadata"]) {
      media.addEventListener(event, () => this.look())
    }
    media.addEventListener("error", failed)
    media.addEventListener("pause", () => this.load())
    // A part that ends with the programme ends there, too.
    media.addEventListener("ended", () => {
      if (this.part?.loops === true) this.play(this.part.from, this.part.until, true)
    })
  }

  /** Calls `watcher` with the position in seconds whenever it changes. */
  watch(watcher: (seconds: number, playing: boolean) => void): void {
    this.watchers.push(watcher)
  }

  get position(): number {
    return this.media?.currentTime ?? 0
  }

  /** Whether the file has a newer version than the one that is loaded, or loading. */
  get outdated(): boolean {
    return this.isOutdated
  }

  get playing(): boolean {
    return this.media !== undefined && !this.media.paused
  }

  /** Whether it is playing one cue and will stop, or begin again, at its end. */
  get playingCue(): boolean {
    return this.playing && this.part !== undefined
  }

  /** Plays from a position to `until` (seconds), or to the end; repeatedly if it loops. */
  play(from: number, until?: number, loops = false): void {
    this.go(from)
    this.part = until === undefined ? undefined : { from, until, loops }
    this.start()
  }

  /** Seeks; playback continues or stays paused. */
  go(to: number): void {
    this.part = undefined
    if (this.media !== undefined) this.media.currentTime = Math.max(0, to)
  }

  /** Loads the file's new version and keeps the position. During playback, waits until it stops. */
  renew(): void {
    this.isOutdated = true
    if (!this.playing) this.load()
  }

  private load(): void {
    if (this.media === undefined || !this.isOutdated) return
    this.isOutdated = false
    const at = this.media.currentTime
    const address = new URL(this.media.currentSrc === "" ? this.media.src : this.media.currentSrc)
    // Under the same address, browsers may keep parts of the earlier version.
    address.search = `${++this.version}`
    this.media.src = address.href
    this.media.currentTime = at
  }

  /** Pauses, or plays from the current position. */
  toggle(): void {
    this.part = undefined
    if (this.playing) this.media?.pause()
    else this.start()
  }

  private start(): void {
    this.load()
    // AbortError is not a failure: the user selected another cue before playback began.
    this.media?.play().catch((error: unknown) => {
      if (!(error instanceof DOMException && error.name === "AbortError")) this.failed()
    })
  }

  private frame(): void {
    this.look()
    if (this.playing) requestAnimationFrame(() => this.frame())
  }

  private look(): void {
    if (this.media === undefined) return
    if (this.part !== undefined && this.playing && this.media.currentTime >= this.part.until) {
      const { from, loops } = this.part
      if (loops) this.media.currentTime = Math.max(0, from)
      else {
        this.part = undefined
        this.media.pause()
      }
    }
    for (const watcher of this.watchers) watcher(this.media.currentTime, this.playing)
  }
}
