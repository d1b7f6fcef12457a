/**
 * The film beside the cues: its picture follows the dub's sound. Its own sound can replace the dub, or play with it.
 */
import { byId, maybeById } from "../Dom.ts"
import { remember, remembered } from "../Choices.ts"

/** The sound to play. */
type Sound = "dub" | "original" | "both"
const sounds: ReadonlyArray<Sound> = ["dub", "original", "both"]

/** How far the picture may be from the sound before it is moved, in seconds. Viewers notice about a fifth of one. */
const maxDrift = 0.2

/** Volume of the film's own sound below the dub. */
const below = 0.4

/** Seconds of the film after which a browser that plays its sound has decoded some of it. */
const decodedBy = 1

/** The film, if the page has one. */
export class Film {
  private readonly video = maybeById("film", HTMLVideoElement)
  private readonly choices = [...document.querySelectorAll<HTMLInputElement>('input[name="sound"]')]
  private readonly dub = maybeById("audio", HTMLAudioElement)
  private broken = false
  private silent = false

  constructor() {
    const { video, dub } = this
    if (video === undefined) return
    video.addEventListener("error", () => this.fail())
    // The element may have failed before this script ran.
    if (video.error !== null) this.fail()
    video.addEventListener("loadedmetadata", () => {
      if (video.videoWidth === 0) this.fail()
    })
    video.addEventListener("timeupdate", () => {
      if (!this.silent && playedOf(video) >= decodedBy && !decodesSound(video)) this.tellSilent()
    })
    for (const choice of this.choices) choice.addEventListener("change", () => this.apply())
    this.choose(sounds.find((sound) => sound === remembered("sound")) ?? "dub")
    if (dub === undefined) return
    dub.addEventListener("play", () => this.run())
    dub.addEventListener("pause", () => video.pause())
    dub.addEventListener("seeking", () => this.align(0.02))
    dub.addEventListener("timeupdate", () => this.align(maxDrift))
  }

  /** The element that keeps the time: the dub's sound, else the film. */
  get clock(): HTMLMediaElement | undefined {
    return this.dub ?? this.video
  }

  /** Switches to the next sound. */
  next(): void {
    const at = this.choices.findIndex(({ checked }) => checked)
    const [first] = this.choices
    const next = this.choices[at + 1] ?? first
    if (next === undefined || next.disabled) return
    next.checked = true
    this.apply()
    byId("live", HTMLElement).textContent = `Sound: ${next.parentElement?.textContent?.trim() ?? next.value}`
  }

  private choose(sound: Sound): void {
    for (const choice of this.choices) choice.checked = choice.value === sound
    this.apply()
  }

  private apply(): void {
    const { video, dub } = this
    if (video === undefined || this.choices.length === 0) return
    const sound = this.choices.find(({ checked }) => checked)?.value ?? "dub"
    remember("sound", sound)
    video.muted = sound === "dub"
    video.volume = sound === "both" ? below : 1
    if (dub !== undefined) dub.muted = sound === "original" && !this.broken
  }

  private run(): void {
    if (this.broken) return
    this.align(0.02)
    // Without the picture, the sound still plays.
    this.video?.play().catch(() => undefined)
  }

  private align(most: number): void {
    const { video, dub } = this
    if (video === undefined || dub === undefined || this.broken || video.seeking) return
    if (Math.abs(video.currentTime - dub.currentTime) > most) video.currentTime = dub.currentTime
  }

  private fail(): void {
    const { video } = this
    if (this.broken || video === undefined) return
    this.broken = true
    video.hidden = true
    byId("film-fault", HTMLElement).hidden = false
    this.onlyDub()
  }

  /** The picture plays on. */
  private tellSilent(): void {
    this.silent = true
    byId("film-silent", HTMLElement).hidden = false
    this.onlyDub()
  }

  private onlyDub(): void {
    for (const choice of this.choices) choice.disabled = choice.value !== "dub"
    if (this.dub !== undefined) this.choose("dub")
  }
}

/** How many seconds of a film have been played. */
const playedOf = ({ played }: HTMLVideoElement): number =>
  Array.from({ length: played.length }, (_, at) => played.end(at) - played.start(at)).reduce(
    (sum, part) => sum + part,
    0
  )

/**
 * Whether the browser decodes the film's sound. Browsers play a picture without a sound that they do not support, and
 * report no error. Only Firefox, Chromium and Safari tell whether they decode it; others count as if they did.
 */
const decodesSound = (video: HTMLVideoElement): boolean => {
  const bytes: unknown = Reflect.get(video, "webkitAudioDecodedByteCount")
  const inFirefox: unknown = Reflect.get(video, "mozHasAudio")
  return bytes !== 0 && inFirefox !== false
}
