/** The edit box of the review page: change a cue, listen to a new take, accept or revert it. */
import type {
  CuePart,
  ReviewedCue,
  DeliveryStanding,
  KnownVoice,
  Take,
  ReviewEdit,
  ReviewEdits
} from "../../data/ReviewProtocol.ts"
import { markNames, marks } from "../../parts/MarkWords.ts"
import { byId } from "../Dom.ts"
import { ask } from "./ReviewClient.ts"

/** The edit box of the page. */
export class EditBox {
  private readonly dialog = byId("edit", HTMLDialogElement)
  private readonly form = byId("edit-form", HTMLFormElement)
  private readonly parts = byId("edit-parts", HTMLElement)
  private readonly status = byId("edit-status", HTMLElement)
  private readonly sound = byId("edit-take", HTMLAudioElement)
  private readonly accept = byId("edit-accept", HTMLButtonElement)
  private readonly withdraw = byId("edit-withdraw", HTMLButtonElement)
  private readonly hear = byId("edit-hear", HTMLButtonElement)
  /** The buttons that send a request; inert while one is in flight. */
  private readonly asking = byId("edit-asking", HTMLElement)
  private cue = 0
  /** Incremented at every edit, so that a take of earlier text cannot be accepted for later text. */
  private edition = 0
  /** Incremented whenever the box closes, so that late responses are dropped. */
  private leaves = 0
  private voices: ReadonlyArray<KnownVoice> = []

  /** `saved` is called when a change is saved. */
  constructor(private readonly saved: () => void) {
    this.form.addEventListener("submit", (event) => {
      event.preventDefault()
      void this.listen()
    })
    this.form.addEventListener("input", () => this.changed())
    this.form.addEventListener("keydown", (event) => {
      if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) void this.listen()
    })
    this.accept.addEventListener("click", () => void this.send("accept", { parts: this.wishes() }))
    this.withdraw.addEventListener("click", () => void this.send("withdraw", {}))
    byId("edit-cancel", HTMLButtonElement).addEventListener("click", () => this.dialog.close())
    this.dialog.addEventListener("close", () => this.left())
  }

  /** Opens the box for a cue. */
  open(cue: number, row: HTMLTableRowElement): void {
    this.cue = cue
    this.parts.replaceChildren()
    this.changed()
    this.hear.disabled = true
    this.withdraw.disabled = true
    byId("edit-title", HTMLElement).textContent = `Cue ${cue}`
    byId("edit-source", HTMLElement).textContent = row.querySelector(".source")?.textContent?.trim() ?? ""
    this.dialog.showModal()
    void this.busy("Loading…", async () => {
      const { leaves } = this
      const sheet = await ask<ReviewedCue>(`cues/${cue}`)
      if (leaves === this.leaves) this.fill(sheet)
      return ""
    })
  }

  /** Resets the box, so that nothing of this cue shows or plays with the next one. */
  private left(): void {
    this.leaves++
    this.changed()
    this.asking.inert = false
    this.sound.pause()
    this.sound.hidden = true
  }

  private fill({ parts, voices }: ReviewedCue): void {
    this.voices = voices
    options(
      "edit-voices",
      voices.map(({ voice }) => voice)
    )
    options(
      "edit-providers",
      voices.map(({ provider }) => provider)
    )
    const template = byId("edit-part", HTMLTemplateElement)
    for (const part of parts) {
      const copy = document.importNode(template.content, true)
      const fields = copy.querySelector("fieldset")
      if (fields === null) continue
      fields.dataset["name"] = part.name
      const legend = copy.querySelector("legend")
      if (legend !== null) legend.textContent = part.speaker ?? (parts.length > 1 ? part.name : "")
      this.put(fields, part)
      this.parts.append(copy)
    }
    this.hear.disabled = false
    this.withdraw.disabled = !parts.some(({ script, now }) => JSON.stringify(script) !== JSON.stringify(now))
    this.parts.querySelector("textarea")?.focus()
  }

  private put(fields: HTMLFieldSetElement, { now }: CuePart): void {
    for (const name of ["say", "voice", "provider", "speed", "start", "end"] as const) {
      const field = fieldOf(fields, name)
      if (field === undefined) continue
      const value = now[name]
      field.value = value === undefined ? "" : `${value}`
      field.disabled = value === undefined
    }
    fieldOf(fields, "provider")?.addEventListener("change", () => {
      const provider = fieldOf(fields, "provider")?.value
      const speed = fieldOf(fields, "speed")
      const speeds = this.voices.find((known) => known.provider === provider)?.speeds
      if (speed === undefined) return
      speed.disabled = speeds === undefined
      speed.value = speeds === undefined ? "" : speed.value === "" ? "1" : speed.value
    })
  }

  private wishes(): ReviewEdits {
    const all = [...this.parts.querySelectorAll("fieldset")].map((fields): [string, ReviewEdit] => {
      const text = (name: string) => fieldOf(fields, name)?.value.trim() ?? ""
      const number = (name: string) => {
        const field = fieldOf(fields, name)
        return field === undefined || field.disabled || field.value === "" ? undefined : Number(field.value)
      }
      const [speed, start, end] = [number("speed"), number("start"), number("end")]
      const wish: ReviewEdit = {
        say: text("say").replaceAll(/\s+/gu, " "),
        provider: text("provider"),
        voice: text("voice"),
        ...(speed === undefined ? {} : { speed }),
        ...(start === undefined ? {} : { start }),
        ...(end === undefined ? {} : { end })
      }
      return [fields.dataset["name"] ?? "", wish]
    })
    return Object.fromEntries(all)
  }

  /** Disables Accept: the take that was played no longer matches the fields. */
  private changed(): void {
    this.edition++
    this.accept.disabled = true
    this.status.textContent = ""
    this.status.className = ""
  }

  private listen(): Promise<void> {
    return this.busy("Generating speech…", async () => {
      const { edition } = this
      const take = await ask<Take>(`cues/${this.cue}/take`, { parts: this.wishes() })
      if (edition !== this.edition) return ""
      this.accept.disabled = false
      if (this.sound.src !== "") URL.revokeObjectURL(this.sound.src)
      this.sound.src = URL.createObjectURL(wavOf(take.wav))
      this.sound.hidden = false
      // Autoplay may be blocked before the user has interacted with the page; they can press the control instead.
      await this.sound.play().catch(() => undefined)
      return wordsOf(take)
    })
  }

  /** Saves the change; the server delivers it in the background. */
  private send(what: "accept" | "withdraw", body: object): Promise<void> {
    return this.busy("Saving…", async () => {
      const { cue, leaves } = this
      await ask<DeliveryStanding>(`cues/${cue}/${what}`, body)
      history.replaceState(null, "", `#cue-${cue}`)
      if (leaves === this.leaves) this.dialog.close()
      this.saved()
      return ""
    })
  }

  /** Shows `words` while `work` runs, then its result or error. Allows one request at a time. */
  private async busy(words: string, work: () => Promise<string>): Promise<void> {
    if (this.asking.inert) return
    const { leaves } = this
    const focused = document.activeElement
    this.asking.inert = true
    this.status.className = ""
    this.status.textContent = words
    const [said, kind] = await work().then(
      (said) => [said, ""] as const,
      (error: unknown) => [error instanceof Error ? error.message : `${error}`, "error"] as const
    )
    if (leaves !== this.leaves) return
    this.status.className = kind
    this.status.textContent = said
    this.asking.inert = false
    if (focused instanceof HTMLElement && this.asking.contains(focused)) focused.focus()
  }
}

type Field = HTMLInputElement | HTMLTextAreaElement

const fieldOf = (fields: HTMLFieldSetElement, name: string): Field | undefined => {
  const found = fields.elements.namedItem(name)
  return found instanceof HTMLInputElement || found instanceof HTMLTextAreaElement ? found : undefined
}

const options = (list: string, values: ReadonlyArray<string>): void =>
  byId(list, HTMLDataListElement).replaceChildren(
    ...[...new Set(values)].map((value) => {
      const option = document.createElement("option")
      option.value = value
      return option
    })
  )

const wavOf = (packed: string): Blob =>
  new Blob([Uint8Array.from(atob(packed), (letter) => letter.charCodeAt(0))], { type: "audio/wav" })

/** Describes how the take fits its slot. */
const wordsOf = ({ start, end, speed, flags, shortenBy, besides }: Take): string => {
  const looks = markNames.filter((name) => name !== "together" && flags.includes(name))
  const length = `${(end - start).toFixed(1)} s at ${speed.toFixed(2)}×, from ${start.toFixed(2)} s to ${end.toFixed(2)} s`
  const fit =
    looks.length === 0
      ? "in place"
      : `${looks.map((name) => marks[name].word).join(", ")}${shortenBy === undefined ? "" : `: ${shortenBy} characters too long`}`
  const others = besides.length === 0 ? "" : `; spoken again with it: cue ${besides.join(", ")}`
  return `${length}; ${fit}${others}.`
}
