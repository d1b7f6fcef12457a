/**
 * Polls the delivery of accepted changes and shows its status. Loads the new sound as soon as it is in place, and the
 * page after the delivery, when that interrupts nothing.
 */
import type { DeliveryStanding } from "../../data/ReviewProtocol.ts"
import { byId, maybeById } from "../Dom.ts"
import { ask } from "./ReviewClient.ts"

/** Poll interval while a delivery is in progress, in milliseconds: short at first, as most take less than a second. */
const every = { soon: 50, later: 500 } as const

/** Number of short intervals. */
const maxSoon = 100

/** Minimum time between the last key or click and a reload, in milliseconds. */
const quiet = 1_500

/** Shows the status of the job's deliveries. */
export class Delivering {
  private readonly status = byId("delivery", HTMLElement)
  private watching = false
  /** Set when another change was saved during a poll, because the poll's response may not include it. */
  private changed = false
  private readonly listeners: Array<(standing: DeliveryStanding) => void> = []
  /** Number of deliveries that had ended when the page was loaded. */
  private shown: number | undefined
  /** Number of versions of the sound before the one that is loaded. */
  private heard: number | undefined
  /** Opening the page counts: the first key may be on its way. */
  private lastInput = performance.now()

  /** `renew` loads the sound again. */
  constructor(private readonly renew: () => void) {
    for (const input of ["keydown", "pointerdown"])
      addEventListener(input, () => (this.lastInput = performance.now()), { capture: true })
    void this.watch()
  }

  /** Polls until the delivery in progress ends; polls once if there is none. */
  async watch(): Promise<void> {
    this.changed = true
    if (this.watching) return
    this.watching = true
    try {
      for (let polls = 0; ; polls++) {
        if (this.changed) polls = 0
        this.changed = false
        const standing = await ask<DeliveryStanding>("delivery")
        const { state, ended, words, sounds = 0 } = standing
        this.shown ??= ended
        // An outdated status would enable an undo button that has just been disabled.
        if (this.changed) continue
        if (sounds !== (this.heard ?? sounds)) this.renew()
        this.heard = sounds
        for (const listener of this.listeners) listener(standing)
        if (state === "failed") return this.say(words ?? "Delivery failed", "error")
        if (state === "delivered" && ended === this.shown) return this.say("")
        if (state === "delivered" && this.isQuiet() && isIdle()) return location.reload()
        this.say(
          state === "delivered"
            ? "Delivered: you hear the change. The list reloads when playback has stopped and no box or field is in use."
            : `Saved. Delivering…${words === undefined ? "" : ` ${words}`}`
        )
        await new Promise((go) => setTimeout(go, polls < maxSoon ? every.soon : every.later))
      }
    } catch (error) {
      this.say(error instanceof Error ? error.message : `${error}`, "error")
    } finally {
      this.watching = false
    }
  }

  /** Calls `listener` with every status. */
  hear(listener: (standing: DeliveryStanding) => void): void {
    this.listeners.push(listener)
  }

  /** Shows an error of a request. */
  fail(error: unknown): void {
    this.say(error instanceof Error ? error.message : `${error}`, "error")
  }

  /** Whether the last key or click is long enough ago: a reload while the user types would swallow the next key. */
  private isQuiet(): boolean {
    return performance.now() - this.lastInput >= quiet
  }

  private say(words: string, kind = ""): void {
    this.status.className = kind
    // Setting the same text again would make screen readers repeat it.
    if (this.status.textContent !== words) this.status.textContent = words
  }
}

/** Whether a reload would interrupt nothing: no open dialog, no playback, no text in the focused field. */
const isIdle = (): boolean => {
  const typing = document.activeElement instanceof HTMLInputElement && document.activeElement.value !== ""
  const sounds = maybeById("audio", HTMLAudioElement)?.paused === false
  return document.querySelector("dialog[open]") === null && !sounds && !typing
}
