/** The words over the picture: as spoken, with the current word marked, or as in the source. */
import type { PageCue } from "../../data/PageData.ts"
import { remember, remembered } from "../Choices.ts"
import { byId, maybeById } from "../Dom.ts"
import { saidWordAt } from "./SaidWord.ts"

/** Shows the words; without a film, does nothing. */
export class Captions {
  private readonly place = maybeById("caption", HTMLElement)
  private readonly choice = maybeById("caption-words", HTMLSelectElement)
  private shown = ""
  private seconds = 0

  /** `wordsOf` returns a cue's words by its position, `.spoken` or `.source`. */
  constructor(
    private readonly cues: ReadonlyArray<PageCue>,
    private readonly wordsOf: (at: number, kind: string) => string
  ) {
    const { choice } = this
    if (choice === undefined) return
    const before = remembered("caption")
    if ([...choice.options].some(({ value }) => value === before)) choice.value = before ?? ""
    choice.addEventListener("change", () => {
      remember("caption", choice.value)
      this.move(this.seconds)
    })
  }

  /** Shows the words at a position, in seconds. */
  move(seconds: number): void {
    this.seconds = seconds
    if (this.place === undefined || this.choice === undefined) return
    const kind = this.choice.value
    const shown = this.cues.flatMap((cue, at) => {
      const [from, to] = kind === "spoken" ? (cue.heard ?? [0, 0]) : [cue.start, cue.end]
      const text = kind !== "" && from <= seconds && seconds < to ? this.wordsOf(at, kind) : ""
      return text === "" ? [] : [{ cue, text }]
    })
    const text = shown.map((each) => each.text).join("\n")
    if (text !== this.shown) {
      this.shown = text
      this.place.replaceChildren(
        ...shown.map((each, index) => lineOf(each.text, index === 0 ? "" : "\n", kind === "spoken"))
      )
    }
    if (kind === "spoken")
      shown.forEach(({ cue, text: spoken }, index) =>
        markWord(this.place?.children[index], saidWordAt(cue, spoken.split(/\s+/u), seconds))
      )
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

/** Returns the text after `before`, with its words in elements of their own if they are to be marked. */
const lineOf = (text: string, before: string, inWords: boolean): HTMLElement => {
  const line = document.createElement("span")
  line.append(before)
  if (!inWords) line.append(text)
  else
    text.split(/(\s+)/u).forEach((piece, index) => {
      if (index % 2 === 1) return line.append(piece)
      const word = document.createElement("span")
      word.textContent = piece
      line.append(word)
    })
  return line
}

/** Marks one of a line's words, and no other. */
const markWord = (line: Element | undefined, wanted: number): void => {
  for (const [index, word] of [...(line?.children ?? [])].entries())
    word.classList.toggle("said", index === wanted)
}
