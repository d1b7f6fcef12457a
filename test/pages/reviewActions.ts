/** Each action of a user on the review page, by key where it has one. They run in this order. */
import type { Page } from "playwright-core"

const opened = (tab: Page) => tab.locator("#edit textarea").first().waitFor()
const closed = (tab: Page) => tab.locator("#edit").waitFor({ state: "hidden" })
const accepting = (tab: Page) => tab.locator("#edit-accept:enabled").waitFor()
const playing = (tab: Page, words: "Play" | "Pause") => tab.locator(`#play:text-is("${words}")`).waitFor()
/** Presses a key that plays a cue. It may last for a second only, so the wait begins before. */
const playingBy = (tab: Page, key: string) => Promise.all([playing(tab, "Pause"), tab.keyboard.press(key)])
/** The row of the current cue, if there is one. */
const current = (tab: Page) =>
  tab.evaluate<string | null>("document.querySelector('#cues [aria-current]')?.id ?? null")
/** Waits until the page has said this to a screen reader. */
const said = (tab: Page, words: string) =>
  tab.locator(`#live:text("${words}")`).waitFor({ state: "attached" })

/** Presses a key; waits until the page has sent the request for it, and the server has answered. */
const asking = async (tab: Page, path: string, key: string): Promise<void> => {
  await Promise.all([tab.waitForResponse(`**/${path}`), tab.keyboard.press(key)])
}

/** Presses a key; waits until another cue is the current one. */
const going = async (tab: Page, key: string): Promise<void> => {
  const before = await current(tab)
  await tab.keyboard.press(key)
  await tab.locator(`#cues [aria-current]:not(#${before ?? "none"})`).waitFor()
}

/** Follows a link to a cue: playback may have gone on to another one. */
const visiting = async (tab: Page, cue: number): Promise<void> => {
  await tab.evaluate(`document.activeElement.blur()
    history.replaceState(null, "", "#")
    location.hash = "#cue-${cue}"`)
  await tab.locator(`#cue-${cue}[aria-current]`).waitFor()
}

const edit = async (tab: Page, cue: number): Promise<void> => {
  await visiting(tab, cue)
  await tab.keyboard.press("e")
  await opened(tab)
}

/** Presses a key in the edit box; waits until it shows another cue. */
const editing = async (tab: Page, key: string): Promise<void> => {
  const title = await tab.locator("#edit-title").textContent()
  await tab.keyboard.press(key)
  await tab.locator(`#edit-title:not(:text-is("${title}"))`).waitFor()
  await opened(tab)
}

export const reviewActions: Readonly<Record<string, (tab: Page) => Promise<unknown>>> = {
  play: async (tab) => {
    await tab.keyboard.press(" ")
    await playing(tab, "Pause")
    // It moves on to a cue below those to check.
    await tab.locator("#cues [aria-current]").waitFor()
  },
  pause: async (tab) => {
    await tab.keyboard.press(" ")
    await playing(tab, "Play")
  },
  "next to check": (tab) => going(tab, "n"),
  next: (tab) => going(tab, "j"),
  "previous to check": (tab) => going(tab, "p"),
  "next again": (tab) => going(tab, "j"),
  previous: (tab) => going(tab, "k"),
  "play the cue": async (tab) => {
    await visiting(tab, 8)
    await playingBy(tab, "Enter")
    await playing(tab, "Play")
  },
  "original sound": async (tab) => {
    await tab.keyboard.press("s")
    await tab.locator('input[value="original"]:checked').waitFor()
  },
  "both sounds": async (tab) => {
    await tab.keyboard.press("s")
    await tab.locator('input[value="both"]:checked').waitFor()
  },
  "dubbed sound": async (tab) => {
    await tab.keyboard.press("s")
    await tab.locator('input[value="dub"]:checked').waitFor()
  },
  text: async (tab) => {
    await tab.keyboard.press("t")
    await said(tab, "Text over the picture: as in the source")
  },
  loop: async (tab) => {
    await tab.keyboard.press("l")
    await tab.locator('#loop[aria-pressed="true"]').waitFor()
    await playing(tab, "Pause")
  },
  "stop the loop": async (tab) => {
    await tab.keyboard.press("l")
    await tab.locator('#loop[aria-pressed="false"]').waitFor()
    // While it plays, the current cue moves on.
    await tab.evaluate("document.querySelector('#audio').pause()")
  },
  "zoom in": (tab) => tab.keyboard.press("+"),
  "zoom out": (tab) => tab.keyboard.press("-"),
  order: async (tab) => {
    await tab.keyboard.press("o")
    await tab.locator('th[aria-sort="ascending"]').waitFor({ state: "attached" })
  },
  "worst first": async (tab) => {
    await tab.keyboard.press("o")
    await tab.locator('th[aria-sort="descending"]').waitFor({ state: "attached" })
  },
  search: async (tab) => {
    await tab.keyboard.press("/")
    await tab.keyboard.insertText("bridge")
    await tab.locator("#shown:text('of')").waitFor()
  },
  clear: async (tab) => {
    await tab.keyboard.press("Escape")
    await tab.locator("#shown:not(:text('of'))").waitFor()
  },
  approve: async (tab) => {
    await visiting(tab, 8)
    await tab.keyboard.press("a")
    await tab.locator("#cue-8 .approval").waitFor()
  },
  "approve the job": async (tab) => {
    await tab.keyboard.press("A")
    await tab.locator("#approval:has-text('anna')").waitFor({ state: "attached" })
  },
  "filter by approval": async (tab) => {
    await tab.keyboard.press("f")
    await tab.locator("#filter:focus").waitFor()
    await tab.locator("#filter").selectOption("approval:none")
    await tab.locator("#shown:text('of')").waitFor()
  },
  unfilter: async (tab) => {
    await tab.keyboard.press("Escape")
    await tab.locator("#shown:not(:text('of'))").waitFor()
  },
  "withdraw the approval": async (tab) => {
    await visiting(tab, 8)
    await tab.keyboard.press("a")
    await tab.locator("#cue-8 .approval").waitFor({ state: "detached" })
  },
  edit: (tab) => edit(tab, 8),
  type: async (tab) => {
    const before = await tab.locator("#edit .count").textContent()
    await tab.keyboard.type("Well.")
    await tab.locator(`#edit .count:not(:text-is("${before}"))`).waitFor()
  },
  listen: async (tab) => {
    await tab.locator("#edit textarea").fill("We should have left by then.")
    await asking(tab, "cues/8/take", "Control+Enter")
    await accepting(tab)
  },
  "next take": async (tab) => {
    await asking(tab, "cues/8/replay", "F9")
    await accepting(tab)
  },
  "previous take": async (tab) => {
    await asking(tab, "cues/8/replay", "Shift+F9")
    await accepting(tab)
  },
  "play the edited cue": (tab) => playingBy(tab, "F5"),
  "pause while typing": async (tab) => {
    await tab.keyboard.press("Control+p")
    await playing(tab, "Play")
  },
  forward: (tab) => tab.keyboard.press("Alt+ArrowRight"),
  back: (tab) => tab.keyboard.press("Alt+ArrowLeft"),
  "accept, next": async (tab) => {
    await Promise.all([tab.waitForResponse("**/cues/8/accept"), editing(tab, "Control+Enter")])
  },
  "edit the next line to check": (tab) => editing(tab, "F8"),
  "edit the next line": (tab) => editing(tab, "Alt+ArrowDown"),
  "edit the previous line": (tab) => editing(tab, "Alt+ArrowUp"),
  close: async (tab) => {
    await tab.keyboard.press("Escape")
    await closed(tab)
  },
  accept: async (tab) => {
    await edit(tab, 9)
    await asking(tab, "cues/9/take", "Control+Enter")
    await accepting(tab)
    await asking(tab, "cues/9/accept", "Control+s")
    await closed(tab)
  },
  join: async (tab) => {
    await edit(tab, 9)
    await asking(tab, "cues/9/join", "Control+Shift+M")
    await closed(tab)
  },
  split: async (tab) => {
    await edit(tab, 11)
    await tab.evaluate("document.querySelector('#edit textarea').setSelectionRange(2, 2)")
    await asking(tab, "cues/11/split", "Control+Shift+Enter")
    await closed(tab)
  },
  move: async (tab) => {
    await edit(tab, 11)
    await tab.locator("#edit-shift").focus()
    await asking(tab, "cues/11/shift", "Enter")
    await closed(tab)
  },
  undo: async (tab) => {
    await tab.locator("#undo:enabled").waitFor()
    await asking(tab, "undo", "u")
  },
  redo: async (tab) => {
    await tab.locator("#redo:enabled").waitFor()
    await asking(tab, "redo", "U")
  },
  voices: async (tab) => {
    await visiting(tab, 2)
    await tab.keyboard.press("v")
    await tab.locator('#voices-speaker:has(option[value="MINH"]:checked)').waitFor()
  },
  "price of a voice": async (tab) => {
    await tab.locator("#voices-voice").fill("en-bo")
    await asking(tab, "voice/price", "Enter")
    await tab.locator("#voices-change:enabled").waitFor()
  },
  "change the voice": async (tab) => {
    await tab.locator("#voices-change").focus()
    await asking(tab, "voice/save", "Enter")
    await tab.locator("#voices").waitFor({ state: "hidden" })
  },
  help: async (tab) => {
    await tab.evaluate("document.activeElement.blur()")
    await tab.keyboard.press("?")
    await tab.locator("#help").waitFor()
  }
}
