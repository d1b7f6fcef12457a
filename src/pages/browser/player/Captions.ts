/** The words over the picture: those of the cues at the current position, as spoken or as in the source. */
import type { PageCue } from "../../data/PageData.ts"
import { remember, remembered } from "../Choices.ts"
import { byId, maybeById } from "../Dom.ts"

/** Shows the words; without a film, does nothing. */
export class Captions {
  private readonly place = maybeById("caption", HTMLElement)
  private readonly choice = maybeById("caption-words", HTMLSelectElement)
  private shown = ""

  /** `wordsOf` returns a cue's words by its position, `.spoken` or `.source`. */
  constructor(
    private readonly cues: ReadonlyArray<PageCue>,
    private readonly wordsOf: (at: number, kind: string) => string
  ) {
    const { choice } = this
    if (choice === undefined) return
    const before = remembered("caption")
    if ([...choice.options].some(({ value }) => value === before)) choice.value = before ?? ""
    choice.addEventListener("change", () => remember("caption", choice.value))
  }

  /** Shows the words at a position, in seconds. */
  move(seconds: number): void {
    if (this.place === undefined || this.choice === undefined) return
    const kind = this.choice.value
    const words = this.cues.flatMap((cue, at) => {
      const [from, to] = kind === "spoken" ? (cue.heard ?? [0, 0]) : [cue.start, cue.end]
      return kind !== "" && from <= seconds && seconds < to ? [this.wordsOf(at, kind)] : []
    })
    const text = words.filter((each) => each !== "").join("\n")
    if (text === this.shown) return
    this.shown = text
    this.place.textContent = text
  }

  /** Switches to the next kind of words, or none. */
  next(): void {
    const { choice } = this
    if (choice === undefined) return
    choice.selectedIndex = (choice.selectedIndex + 1) % choice.length
    choice.dispatchEvent(new Event("change"))
    byId("live", HTMLElement).textContent = `Text over the picture: ${choice.selectedOptions[0]?.text ?? ""}`
  }
}
