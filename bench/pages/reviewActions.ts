/** Each action of a user on the review page, by key where it has one. They run in this order. */
import type { Page } from "playwright-core"

const opened = (tab: Page) => tab.locator("#edit textarea").waitFor()
const closed = (tab: Page) => tab.locator("#edit").waitFor({ state: "hidden" })
const accepting = (tab: Page) => tab.locator("#edit-accept:enabled").waitFor()

export const reviewActions: Readonly<Record<string, (tab: Page) => Promise<unknown>>> = {
  play: (tab) => tab.keyboard.press(" "),
  pause: (tab) => tab.keyboard.press(" "),
  next: (tab) => tab.keyboard.press("n"),
  sound: (tab) => tab.keyboard.press("s"),
  text: (tab) => tab.keyboard.press("t"),
  loop: (tab) => tab.keyboard.press("l"),
  "stop the loop": async (tab) => {
    await tab.keyboard.press("l")
    // While it plays, the current cue moves on.
    await tab.evaluate("document.querySelector('#audio').pause()")
  },
  approve: async (tab) => {
    await tab.keyboard.press("a")
    await tab.locator("#cues [aria-current] .approval").waitFor()
  },
  "approve the job": async (tab) => {
    await tab.keyboard.press("A")
    await tab.locator("#approval:has-text('anna')").waitFor()
  },
  "filter by approval": (tab) => tab.locator("#filter").selectOption("approval:none"),
  unfilter: (tab) => tab.locator("#filter").selectOption("all"),
  edit: async (tab) => {
    await tab.evaluate("document.activeElement.blur()")
    // Not by key: playback may have gone on to a cue after which none is worth a look.
    await tab.evaluate("location.hash = '#cue-8'")
    await tab.keyboard.press("e")
    await opened(tab)
  },
  type: (tab) => tab.keyboard.type("Well."),
  listen: async (tab) => {
    await tab.locator("#edit textarea").fill("We should have left by then.")
    await tab.keyboard.press("Control+Enter")
    await accepting(tab)
  },
  "compare takes": async (tab) => {
    await tab.keyboard.press("F9")
    await accepting(tab)
  },
  "accept, next": async (tab) => {
    await tab.keyboard.press("Control+Enter")
    await tab.locator("#edit-accept:disabled").waitFor()
    await opened(tab)
  },
  "next line": async (tab) => {
    await tab.keyboard.press("Alt+ArrowDown")
    await opened(tab)
  },
  join: async (tab) => {
    await tab.keyboard.press("Control+Shift+M")
    await closed(tab)
  },
  split: async (tab) => {
    await tab.keyboard.press("e")
    await opened(tab)
    await tab.evaluate("document.querySelector('#edit textarea').setSelectionRange(2, 2)")
    await tab.keyboard.press("Control+Shift+Enter")
    await closed(tab)
  },
  move: async (tab) => {
    await tab.keyboard.press("e")
    await opened(tab)
    await tab.locator("#edit-shift").click()
    await closed(tab)
  },
  undo: (tab) => tab.keyboard.press("u"),
  redo: (tab) => tab.keyboard.press("U"),
  voices: async (tab) => {
    await tab.locator("#voices-open").click()
    await tab.locator("#voices-voice").fill("en-bo")
    await tab.getByRole("button", { name: "Show the price" }).click()
    await tab.locator("#voices-change:enabled").waitFor()
  },
  "change the voice": async (tab) => {
    await tab.locator("#voices-change").click()
    await tab.locator("#voices").waitFor({ state: "hidden" })
  }
}
