/** The takes of a cue in the edit box: the script's, the delivered one, and those that were heard before. */
import type { ReviewEdit, ReviewedCue, ReviewEdits } from "../../data/ReviewProtocol.ts"
import { byId } from "../Dom.ts"

/** The list. Each take is a button; hidden while there is nothing to compare. */
export class TakeList {
  private readonly box = byId("edit-takes", HTMLElement)
  private readonly list = byId("edit-takes-list", HTMLElement)
  private takes: ReadonlyArray<{
    readonly label: string
    readonly edits: ReviewEdits
    readonly words: string
  }> = []
  private heard = 0

  /** `chosen` is called with the take whose button is pressed. */
  constructor(private readonly chosen: (edits: ReviewEdits) => void) {
    this.list.addEventListener("click", ({ target }) => {
      const button = target instanceof Element ? target.closest("button") : null
      if (button !== null) this.choose([...this.list.querySelectorAll("button")].indexOf(button))
    })
  }

  /** Lists the takes of a cue; none while it loads. */
  fill(sheet?: Pick<ReviewedCue, "parts" | "takes">): void {
    this.takes = []
    this.heard = 0
    if (sheet !== undefined) {
      this.push("Delivered", Object.fromEntries(sheet.parts.map(({ name, now }) => [name, now])))
      this.push("Script", Object.fromEntries(sheet.parts.map(({ name, script }) => [name, script])))
      for (const edits of sheet.takes) this.add(edits)
    }
    this.draw()
  }

  /** Adds a take that was heard. */
  add(edits: ReviewEdits): void {
    if (this.push(`Take ${this.heard + 1}`, edits)) this.heard++
    this.draw()
  }

  /** Marks the take that the fields have. */
  mark(edits: ReviewEdits): void {
    const words = comparable(edits)
    const buttons = this.list.querySelectorAll("button")
    for (const [at, take] of this.takes.entries()) {
      const button = buttons[at]
      button?.setAttribute("aria-pressed", `${take.words === words}`)
      // Scrolls only the list: the box must not move while the user types.
      if (button !== undefined && take.words === words)
        this.list.scrollTop = button.offsetTop - this.list.offsetTop
    }
  }

  /** Chooses the take after or before the marked one. After the last take comes the first. */
  beside(step: 1 | -1): void {
    if (this.takes.length === 0) return
    const marked = [...this.list.querySelectorAll("button")].findIndex(
      (button) => button.getAttribute("aria-pressed") === "true"
    )
    const from = marked < 0 && step < 0 ? 0 : marked
    this.choose((from + step + this.takes.length) % this.takes.length)
  }

  private choose(at: number): void {
    const take = this.takes[at]
    if (take !== undefined) this.chosen(take.edits)
  }

  private push(label: string, edits: ReviewEdits): boolean {
    const words = comparable(edits)
    if (this.takes.some((take) => take.words === words)) return false
    this.takes = [...this.takes, { label, edits, words }]
    return true
  }

  private draw(): void {
    this.box.hidden = this.takes.length < 2
    this.list.replaceChildren(
      ...this.takes.map(({ label, edits }) => {
        const item = document.createElement("li")
        const button = document.createElement("button")
        button.type = "button"
        const name = document.createElement("b")
        name.textContent = label
        const said = document.createElement("span")
        said.dir = "auto"
        said.textContent = Object.values(edits)
          .map(({ say }) => say)
          .join(" / ")
        const how = document.createElement("span")
        how.className = "aside"
        how.textContent = Object.entries(edits)
          .map(([line, edit]) => howOf(edit, this.takes[0]?.edits[line]))
          .join(" / ")
        button.append(name, " ", said, " ", how)
        item.append(button)
        return item
      })
    )
  }
}

/** A line's voice, its speed unless it is 1, and its times if they are not the delivered ones. */
const howOf = ({ voice, speed = 1, start, end }: ReviewEdit, delivered: ReviewEdit | undefined): string =>
  [
    voice,
    ...(speed === 1 ? [] : [`${speed}×`]),
    ...(start === delivered?.start && end === delivered?.end ? [] : [`${start ?? ""}–${end ?? ""} s`])
  ].join(" ")

/** Edits as text, with their keys in one order. */
const comparable = (edits: ReviewEdits): string =>
  JSON.stringify(
    Object.entries(edits).map(([name, { say, provider, voice, speed, start, end }]) => [
      name,
      say,
      provider,
      voice,
      speed ?? null,
      start ?? null,
      end ?? null
    ])
  )
