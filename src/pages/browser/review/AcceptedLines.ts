/**
 * Plays accepted lines in their place before their file is loaded: while the media element, which keeps the time, plays
 * the earlier version of such a place, it is mute, and the preview of the line sounds instead.
 */
import { previewFrom } from "../../data/ReviewProtocol.ts"
import type { Player } from "../player/Player.ts"

/** The mix around a line, with its place in seconds. */
export interface Preview {
  readonly from: number
  readonly to: number
  readonly sound: AudioBuffer
}

/** How far a preview may be from the position before it begins again there, in seconds. */
const maxDrift = 0.1

/** Maximum number of previews: each has some megabytes. */
const maxPreviews = 8

/** The previews of lines that were accepted since the sound was loaded. */
export class AcceptedLines {
  /** The newest first. */
  private previews: ReadonlyArray<Preview> = []
  private made: { readonly context: AudioContext; readonly gain: GainNode } | undefined
  /** What sounds: its source, and the context's time at which the preview's first sample would have sounded. */
  private sounding:
    { readonly preview: Preview; readonly source: AudioBufferSourceNode; readonly zero: number } | undefined
  /** The position when it was last looked at, in seconds. */
  private position: number | undefined
  /** Whether all accepted lines have been delivered. */
  private isSettled = true

  constructor(
    private readonly player: Player,
    private readonly media: HTMLMediaElement | undefined
  ) {
    player.watch(() => this.follow())
    for (const event of ["seeking", "waiting", "emptied"]) media?.addEventListener(event, () => this.follow())
    media?.addEventListener("emptied", () => {
      if (this.isSettled) this.clear()
    })
  }

  /** Prepares for a line to be accepted, while the user edits it. */
  prepare(): void {
    void this.output
    // So that it keeps the time without waiting for the server, which is busy after Accept.
    if (this.media !== undefined) this.media.preload = "auto"
  }

  /** Fetches the mix around a cue's last take; undefined if there is none. */
  async fetch(cue: number): Promise<Preview | undefined> {
    try {
      const response = await fetch(`cues/${cue}/preview`, { cache: "no-store" })
      const from = Number(response.headers.get(previewFrom) ?? NaN)
      if (Number.isNaN(from)) return undefined
      const { context } = this.output
      const sound = await context.decodeAudioData(await response.arrayBuffer())
      return { from, to: from + sound.duration, sound }
    } catch {
      // The line is heard once its file is loaded.
      return undefined
    }
  }

  /** Plays a preview in its place from now on, until the file is loaded that has the line. */
  async add(fetched: Promise<Preview | undefined> | undefined): Promise<void> {
    this.isSettled = false
    const preview = await fetched
    if (preview === undefined || this.isSettled) return
    this.previews = [preview, ...this.previews].slice(0, maxPreviews)
    // Browsers let a page make sound once the user has used it.
    await this.output.context.resume()
    this.follow()
  }

  /** Call it when all accepted lines have been delivered: once the file is loaded, it is heard instead. */
  settle(): void {
    this.isSettled = true
    if (!this.player.outdated) this.clear()
  }

  /** Drops all previews, as another change may concern the same lines. */
  clear(): void {
    this.previews = []
    this.follow()
    void this.made?.context.suspend()
  }

  private get output() {
    if (this.made !== undefined) return this.made
    const context = new AudioContext()
    void context.suspend()
    const gain = context.createGain()
    gain.connect(context.destination)
    this.made = { context, gain }
    return this.made
  }

  /**
   * Starts or stops a preview, as the position demands. It waits for a position that stands still although the media
   * plays: a film's own sound may begin late, and the preview would begin again.
   */
  private follow(): void {
    const { media, made, sounding } = this
    if (media === undefined || made === undefined) return
    const { context, gain } = made
    const at = media.currentTime
    const isMoving = at !== this.position
    this.position = at
    const isHeard =
      context.state === "running" &&
      !media.paused &&
      !media.seeking &&
      media.readyState >= media.HAVE_FUTURE_DATA
    const preview = isHeard ? this.previews.find(({ from, to }) => from <= at && at < to) : undefined
    gain.gain.value = media.muted ? 0 : 1
    media.volume = preview === undefined ? 1 : 0
    if (
      preview === sounding?.preview &&
      (sounding === undefined ||
        Math.abs(context.currentTime - sounding.zero - (at - sounding.preview.from)) < maxDrift)
    )
      return
    sounding?.source.stop()
    this.sounding = preview === undefined || !isMoving ? undefined : this.start(preview, at)
  }

  private start(preview: Preview, at: number) {
    const { context, gain } = this.output
    const source = context.createBufferSource()
    source.buffer = preview.sound
    source.connect(gain)
    source.start(0, at - preview.from)
    return { preview, source, zero: context.currentTime - (at - preview.from) }
  }
}
