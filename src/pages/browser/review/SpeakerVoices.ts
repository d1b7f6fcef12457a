/** The dialog that gives all lines of a speaker another voice. It shows the price first. */
import type { DeliveryStanding, SpeakerPrice, SpeakerSheet } from "../../data/ReviewProtocol.ts"
import { byId } from "../Dom.ts"
import { fillOptions } from "./EditBox.ts"
import { ask } from "./ReviewClient.ts"

/** The dialog. */
export class SpeakerVoices {
  private readonly dialog = byId("voices", HTMLDialogElement)
  private readonly speaker = byId("voices-speaker", HTMLSelectElement)
  private readonly voice = byId("voices-voice", HTMLInputElement)
  private readonly provider = byId("voices-provider", HTMLInputElement)
  private readonly status = byId("voices-status", HTMLElement)
  private readonly change = byId("voices-change", HTMLButtonElement)
  private sheet: SpeakerSheet = { speakers: [], voices: [] }
  /** Incremented with every edit, so that a price of earlier fields is not shown for later ones. */
  private edition = 0

  /** `saved` is called when a change is saved. */
  constructor(private readonly saved: () => void) {
    byId("voices-cancel", HTMLButtonElement).addEventListener("click", () => this.dialog.close())
    byId("voices-form", HTMLFormElement).addEventListener("submit", (event) => {
      event.preventDefault()
      void this.price()
    })
    byId("voices-form", HTMLFormElement).addEventListener("input", () => this.edited())
    this.speaker.addEventListener("change", () => this.fill())
    this.change.addEventListener("click", () => void this.save())
  }

  /** Opens the dialog, at a speaker if one is given; `""` for lines without one. */
  async open(speaker?: string): Promise<void> {
    this.edited()
    if (!this.dialog.open) this.dialog.showModal()
    await this.telling("Loading…", async () => {
      this.sheet = await ask<SpeakerSheet>("speakers")
      this.speaker.replaceChildren(
        ...this.sheet.speakers.map((each) => {
          const name = each.speaker === "" ? "no speaker" : each.speaker
          return new Option(`${name} (${each.lines} ${each.lines === 1 ? "line" : "lines"})`, each.speaker)
        })
      )
      if (speaker !== undefined && this.sheet.speakers.some((each) => each.speaker === speaker))
        this.speaker.value = speaker
      fillOptions("voices-known", this.sheet.voices, "voice")
      fillOptions("voices-providers", this.sheet.voices, "provider")
      this.fill()
      return ""
    })
  }

  private fill(): void {
    const found = this.sheet.speakers.find(({ speaker }) => speaker === this.speaker.value)
    this.voice.value = found?.voice ?? ""
    this.provider.value = found?.provider ?? ""
    this.edited()
  }

  /** Disables Change until the price of this change is known. */
  private edited(): void {
    this.edition++
    this.change.disabled = true
    this.status.textContent = ""
    this.status.className = ""
  }

  private price(): Promise<void> {
    const { edition } = this
    return this.telling("Asking for the price…", async () => {
      const price = await ask<SpeakerPrice>("voice/price", this.wish())
      if (edition !== this.edition) return ""
      this.change.disabled = price.lines === 0
      return wordsOf(price)
    })
  }

  private save(): Promise<void> {
    this.change.disabled = true
    return this.telling("Saving…", async () => {
      await ask<DeliveryStanding>("voice/save", this.wish())
      this.dialog.close()
      this.saved()
      return ""
    })
  }

  private wish(): object {
    const { value: speaker } = this.speaker
    return {
      ...(speaker === "" ? {} : { speaker }),
      voice: this.voice.value.trim(),
      provider: this.provider.value.trim()
    }
  }

  private async telling(words: string, work: () => Promise<string>): Promise<void> {
    const { edition } = this
    this.status.className = ""
    this.status.textContent = words
    const [said, kind] = await work().then(
      (done) => [done, ""] as const,
      (error: unknown) => [error instanceof Error ? error.message : `${error}`, "error"] as const
    )
    if (kind === "" && said === "" && edition !== this.edition) return
    this.status.className = kind
    this.status.textContent = said
  }
}

/** The price of a change, in words. */
const wordsOf = ({ lines, kept, tasks, characters, credits }: SpeakerPrice): string => {
  if (lines === 0) return "These lines have this voice already."
  const spoken = `${lines} ${lines === 1 ? "line is" : "lines are"} spoken with it`
  if (tasks === 0) return `${spoken}. Price: nothing, because their clips are cached.`
  const price =
    credits === undefined
      ? "the service does not report its price"
      : `${Math.ceil(credits)} ${Math.ceil(credits) === 1 ? "credit" : "credits"}`
  return `${spoken}: ${tasks} ${tasks === 1 ? "task" : "tasks"}, ${characters} characters. Price: ${price}.${kept === 0 ? "" : ` ${kept} clips are cached.`}`
}
