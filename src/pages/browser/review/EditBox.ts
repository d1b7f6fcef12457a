/** The edit box of the review page: change a cue, listen to a new take, accept or revert it. */
import type {
  DeliveryStanding,
  KnownVoice,
  ReviewedCue,
  ReviewEdits,
  Take
} from "../../data/ReviewProtocol.ts"
import { type EditAction, editKeys } from "../../parts/KeyBindings.ts"
import { byId, maybeById } from "../Dom.ts"
import type { JobViewHandle } from "../JobView.ts"
import { bringIntoView, leaveHeading } from "../StickyParts.ts"
import type { AcceptedLines, Preview } from "./AcceptedLines.ts"
import { LineFields } from "./LineFields.ts"
import { ask } from "./ReviewClient.ts"
import { TakeList } from "./TakeList.ts"
import { markNames, marks } from "../../parts/MarkWords.ts"

/** The edit box of the page. It is beside the cues, so that the player stays in view. */
export class EditBox {
  private readonly dialog = byId("edit", HTMLDialogElement)
  private readonly form = byId("edit-form", HTMLFormElement)
  private readonly parts = byId("edit-parts", HTMLElement)
  private readonly status = byId("edit-status", HTMLElement)
  private readonly sound = byId("edit-take", HTMLAudioElement)
  private readonly accepts = [
    byId("edit-accept", HTMLButtonElement),
    byId("edit-accept-next", HTMLButtonElement)
  ]
  private readonly withdraw = byId("edit-withdraw", HTMLButtonElement)
  private readonly hear = byId("edit-hear", HTMLButtonElement)
  /** The buttons that send a request; inert while one is in flight. */
  private readonly asking = byId("edit-asking", HTMLElement)
  private readonly takes = new TakeList((edits) => void this.compare(edits))
  private cue = 0
  /** The last take of the edits in the box. */
  private take: Take | undefined
  /** The mix around that take. */
  private preview: Promise<Preview | undefined> | undefined
  private row: HTMLTableRowElement | undefined
  private lines: ReadonlyArray<LineFields> = []
  /** The text that has, or had, the cursor. */
  private cursorIn: HTMLTextAreaElement | undefined
  /** Incremented at every edit, so that a take of earlier text cannot be accepted for later text. */
  private edition = 0
  /** Incremented whenever the box closes, so that late responses are dropped. */
  private leaves = 0

  /** `saved` is called when a change is saved; `view` is the page's list and player. */
  constructor(
    private readonly view: JobViewHandle,
    private readonly accepted: AcceptedLines,
    private readonly saved: () => void
  ) {
    this.form.addEventListener("submit", (event) => {
      event.preventDefault()
      void this.listen()
    })
    this.form.addEventListener("input", ({ target }) => {
      if (!(target instanceof HTMLInputElement && target.id === "edit-shift-by")) this.changed()
    })
    this.parts.addEventListener("focusin", ({ target }) => {
      if (target instanceof HTMLTextAreaElement) this.cursorIn = target
    })
    this.dialog.addEventListener("keydown", (event) => this.pressed(event))
    const [accept, acceptNext] = this.accepts
    accept?.addEventListener("click", () => void this.acceptTake(false))
    acceptNext?.addEventListener("click", () => void this.acceptTake(true))
    this.withdraw.addEventListener("click", () => void this.send("withdraw", {}, false))
    byId("edit-split", HTMLButtonElement).addEventListener("click", () => void this.split())
    byId("edit-join", HTMLButtonElement).addEventListener("click", () => void this.send("join", {}, false))
    byId("edit-shift", HTMLButtonElement).addEventListener("click", () => {
      const by = byId("edit-shift-by", HTMLInputElement).valueAsNumber
      void this.send("shift", { by: Number.isFinite(by) ? by : 0 }, false)
    })
    byId("edit-cancel", HTMLButtonElement).addEventListener("click", () => this.dialog.close())
    this.dialog.addEventListener("close", () => {
      this.left()
      this.row?.querySelector<HTMLElement>("button.play")?.focus({ preventScroll: true })
    })
    // A take and the programme must not sound at once.
    this.sound.addEventListener("play", () => maybeById("audio", HTMLAudioElement)?.pause())
  }

  /** Opens the box for a cue. */
  open(cue: number, row: HTMLTableRowElement): void {
    if (this.dialog.open) this.left()
    this.cue = cue
    this.row = row
    this.lines = []
    this.parts.replaceChildren()
    this.takes.fill()
    this.changed()
    this.hear.disabled = true
    this.withdraw.disabled = true
    byId("edit-title", HTMLElement).textContent = `Cue ${cue}`
    byId("edit-source", HTMLElement).textContent = row.querySelector(".source")?.textContent?.trim() ?? ""
    // Not modal: the player and the list stay in use.
    if (!this.dialog.open) this.dialog.show()
    this.dialog.focus()
    leaveHeading()
    bringIntoView(row)
    void this.busy("Loading…", async () => {
      const { leaves } = this
      const sheet = await ask<ReviewedCue>(`cues/${cue}`)
      if (leaves === this.leaves) this.fill(sheet)
      this.accepted.prepare()
      return ""
    })
  }

  private readonly acts: Readonly<Record<EditAction, () => void>> = {
    listenOrAccept: () => void (this.accepts[0]?.disabled === false ? this.acceptTake(true) : this.listen()),
    split: () => void this.split(),
    join: () => void this.send("join", {}, false),
    accept: () => void (this.accepts[0]?.disabled === false ? this.acceptTake(false) : this.listen()),
    editNext: () => this.view.editBeside("next"),
    editPrevious: () => this.view.editBeside("previous"),
    nextTake: () => this.takes.beside(1),
    previousTake: () => this.takes.beside(-1),
    editNextFlagged: () => this.view.editBeside("flagged"),
    playLine: () => this.view.playCurrent(),
    playOrPause: () => this.view.playPause(),
    back: () => this.view.nudge(-0.5),
    forward: () => this.view.nudge(0.5),
    close: () => this.dialog.close()
  }

  private pressed(event: KeyboardEvent): void {
    if (event.isComposing || document.querySelector("dialog:modal") !== null) return
    const name = [
      ...(event.ctrlKey || event.metaKey ? ["Control"] : []),
      ...(event.altKey ? ["Alt"] : []),
      ...(event.shiftKey ? ["Shift"] : []),
      event.key.length === 1 ? event.key.toLowerCase() : event.key
    ].join("+")
    const found = editKeys.find(({ keys }) => keys.includes(name))
    // No key meant for the box reaches the page, even while the box still loads.
    event.stopPropagation()
    if (found === undefined) return
    event.preventDefault()
    this.acts[found.action]()
  }

  /** Resets the box, so that nothing of this cue shows or plays with the next one. */
  private left(): void {
    this.leaves++
    this.changed()
    this.asking.inert = false
    this.sound.pause()
    this.sound.hidden = true
  }

  private fill(sheet: ReviewedCue): void {
    const { parts, voices, maxSpeed } = sheet
    fillOptions("edit-voices", voices, "voice")
    fillOptions("edit-providers", voices, "provider")
    const template = byId("edit-part", HTMLTemplateElement)
    this.lines = parts.flatMap((part) => {
      const copy = document.importNode(template.content, true)
      const fields = copy.querySelector("fieldset")
      if (fields === null) return []
      const legend = copy.querySelector("legend")
      if (legend !== null) legend.textContent = part.speaker ?? (parts.length > 1 ? part.name : "")
      this.parts.append(copy)
      return [new LineFields(fields, part, voices, maxSpeed)]
    })
    this.takes.fill(sheet)
    this.takes.mark(this.wishes())
    this.hear.disabled = false
    this.withdraw.disabled = !parts.some(({ script, now }) => JSON.stringify(script) !== JSON.stringify(now))
    const text = this.lines[0]?.text
    text?.focus()
    text?.setSelectionRange(text.value.length, text.value.length)
  }

  private wishes(): ReviewEdits {
    return Object.fromEntries(this.lines.map(({ name, edit }) => [name, edit]))
  }

  /** Disables Accept: the take that was played no longer matches the fields. */
  private changed(): void {
    this.edition++
    this.take = undefined
    this.preview = undefined
    this.takes.mark(this.wishes())
    for (const accept of this.accepts) accept.disabled = true
    this.status.textContent = ""
    this.status.className = ""
  }

  private listen(what: "take" | "replay" = "take"): Promise<void> {
    return this.busy(what === "take" ? "Generating speech…" : "Loading…", async () => {
      const { edition } = this
      const edits = this.wishes()
      const take = await ask<Take>(`cues/${this.cue}/${what}`, { parts: edits })
      if (edition !== this.edition) return ""
      this.take = take
      this.takes.add(edits)
      this.takes.mark(edits)
      for (const accept of this.accepts) accept.disabled = false
      if (this.sound.src !== "") URL.revokeObjectURL(this.sound.src)
      this.sound.src = URL.createObjectURL(wavOf(take))
      this.sound.hidden = false
      // Autoplay may be blocked before the user has interacted with the page; they can press the control instead.
      const played = this.sound.play().catch(() => undefined)
      const { cue } = this
      this.preview = played.then(() => this.accepted.fetch(cue))
      return describeTake(take)
    })
  }

  /** Plays an earlier take and puts it into the fields. Speaks nothing. */
  private compare(edits: ReviewEdits): Promise<void> {
    if (this.asking.inert) return Promise.resolve()
    for (const line of this.lines) line.show(edits[line.name])
    this.changed()
    return this.listen("replay")
  }

  private acceptTake(goesOn: boolean): Promise<void> {
    return this.send("accept", { parts: this.wishes() }, goesOn)
  }

  /** Splits the line whose text has, or had, the cursor. */
  private split(): Promise<void> {
    const line = this.lines.find(({ text }) => text === this.cursorIn) ?? this.lines[0]
    const text = line?.text
    if (line === undefined || text === null || text === undefined) return Promise.resolve()
    const [first, rest] = [
      text.value.slice(0, text.selectionStart),
      text.value.slice(text.selectionStart)
    ].map((piece) => piece.replaceAll(/\s+/gu, " ").trim())
    if (first === "" || rest === "") {
      this.status.className = "error"
      this.status.textContent = "Put the cursor between the words where the cue should be split."
      return Promise.resolve()
    }
    return this.send("split", { name: line.name, first, rest }, false)
  }

  /** Saves the change; the server delivers it in the background. Then closes the box or opens the next line. */
  private send(
    what: "accept" | "withdraw" | "split" | "join" | "shift",
    body: object,
    goesOn: boolean
  ): Promise<void> {
    return this.busy("Saving…", async () => {
      const { cue, leaves, row, take, preview } = this
      await ask<DeliveryStanding>(`cues/${cue}/${what}`, body)
      row?.classList.add("changed")
      history.replaceState(null, "", `#cue-${cue}`)
      if (what === "accept" && take !== undefined) this.view.place(cue, take.start, take.end)
      if (what === "accept") void this.accepted.add(preview)
      else this.accepted.clear()
      this.saved()
      if (leaves !== this.leaves) return ""
      if (!goesOn || !this.view.editBeside("flagged")) this.dialog.close()
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

/** Fills a list of suggestions. */
export const fillOptions = (
  list: string,
  voices: ReadonlyArray<KnownVoice>,
  part: "voice" | "provider"
): void =>
  byId(list, HTMLDataListElement).replaceChildren(
    ...[...new Set(voices.map((known) => known[part]))].map((value) => new Option(value, value))
  )

/** Returns a take's audio. */
const wavOf = ({ wav }: Take): Blob =>
  new Blob([Uint8Array.from(atob(wav), (letter) => letter.charCodeAt(0))], { type: "audio/wav" })

/** Describes how the take fits its slot. */
const describeTake = ({ start, end, speed, flags, shortenBy, besides }: Take): string => {
  const looks = markNames.filter((name) => name !== "together" && flags.includes(name))
  const length = `${(end - start).toFixed(1)} s at ${speed.toFixed(2)}×, from ${start.toFixed(2)} s to ${end.toFixed(2)} s`
  const fit =
    looks.length === 0
      ? "in place"
      : `${looks.map((name) => marks[name].word).join(", ")}${shortenBy === undefined ? "" : `: ${shortenBy} characters too long`}`
  const others = besides.length === 0 ? "" : `; spoken again with it: cue ${besides.join(", ")}`
  return `${length}; ${fit}${others}.`
}
