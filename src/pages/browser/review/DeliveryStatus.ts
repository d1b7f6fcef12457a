/** The delivery of accepted changes, as the page shows it: in progress, then the page with its new figures. */
import type { DeliveryStanding } from "../../data/ReviewProtocol.ts"
import { byId, maybeById } from "../Dom.ts"
import { ask } from "./ReviewClient.ts"

/** How often the server is asked while a delivery is in progress, in milliseconds. */
const every = 500

/** How long after the last key or click the page may be loaded again, in milliseconds. */
const quiet = 1_500

/** Follows the job's deliveries on the page. */
export class Delivering {
  private readonly status = byId("delivery", HTMLElement)
  private watching = false
  /** How many deliveries had ended when the page was loaded. */
  private shown: number | undefined
  private lastInput = -Infinity

  constructor() {
    for (const input of ["keydown", "pointerdown"])
      addEventListener(input, () => (this.lastInput = performance.now()), { capture: true })
    void this.watch()
  }

  /** Follows a delivery to its end; asks once where there is none. */
  async watch(): Promise<void> {
    if (this.watching) return
    this.watching = true
    try {
      for (;;) {
        const { state, ended, words } = await ask<DeliveryStanding>("delivery")
        this.shown ??= ended
        if (state === "failed") return this.say(words ?? "The job could not be delivered", "error")
        if (state === "delivered" && ended === this.shown) return this.say("")
        if (state === "delivered" && this.isQuiet() && isIdle()) return location.reload()
        this.say(
          state === "delivered"
            ? "Delivered; the page shows it when the sound has ended and the box is closed."
            : `Saved. Delivering …${words === undefined ? "" : ` ${words}`}`
        )
        await new Promise((go) => setTimeout(go, every))
      }
    } catch (error) {
      this.say(error instanceof Error ? error.message : `${error}`, "error")
    } finally {
      this.watching = false
    }
  }

  /** Whether the last key or click is long enough ago: a reload in between would swallow the next one. */
  private isQuiet(): boolean {
    return performance.now() - this.lastInput >= quiet
  }

  private say(words: string, kind = ""): void {
    this.status.className = kind
    // Said again, the same words would be read out again.
    if (this.status.textContent !== words) this.status.textContent = words
  }
}

/** Whether nobody is in the middle of something that a new page would end. */
const isIdle = (): boolean => {
  const typing = document.activeElement instanceof HTMLInputElement && document.activeElement.value !== ""
  const sounds = maybeById("audio", HTMLAudioElement)?.paused === false
  return document.querySelector("dialog[open]") === null && !sounds && !typing
}
