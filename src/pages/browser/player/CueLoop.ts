/** Playing a cue: once, or in a loop with some time before and after it. */
import type { PageCue } from "../../data/PageData.ts"
import { remember, remembered } from "../Choices.ts"
import { byId } from "../Dom.ts"
import type { Player } from "./Player.ts"

/** The loop button and the time played before and after a cue. */
export class CueLoop {
  private readonly button = byId("loop", HTMLButtonElement)
  private readonly roll = byId("roll", HTMLSelectElement)

  /** `again` plays the current cue. */
  constructor(
    private readonly player: Player,
    again: () => void
  ) {
    this.press(remembered("loop") === "true")
    const before = remembered("roll")
    if ([...this.roll.options].some(({ value }) => value === before)) this.roll.value = before ?? "0"
    this.button.addEventListener("click", () => this.toggle(again))
    this.roll.addEventListener("change", () => {
      remember("roll", this.roll.value)
      if (player.playingCue) again()
    })
  }

  /** Turns the loop on or off. Turned on, it plays the current cue; turned off, playback ends with the cue. */
  toggle(again: () => void): void {
    this.press(!this.on)
    if (this.on || this.player.playingCue) again()
    byId("live", HTMLElement).textContent = this.on ? "Loop on" : "Loop off"
  }

  /** Plays a cue. */
  play({ heard, start, end }: PageCue): void {
    const [from, to] = heard ?? [start, end]
    const roll = this.on ? Number(this.roll.value) : 0
    this.player.play(from - roll, to + roll, this.on)
  }

  private get on(): boolean {
    return this.button.getAttribute("aria-pressed") === "true"
  }

  private press(on: boolean): void {
    this.button.setAttribute("aria-pressed", `${on}`)
    remember("loop", `${on}`)
  }
}
