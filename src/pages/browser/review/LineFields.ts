/** The fields of one line in the edit box: filling, reading, and the forecast below the text. */
import type { CuePart, KnownVoice, ReviewEdit } from "../../data/ReviewProtocol.ts"
import { forecastLine } from "../../data/LineForecast.ts"

/** The fields of a line. */
export class LineFields {
  private readonly count: HTMLElement | null
  readonly name: string
  readonly text: HTMLTextAreaElement | null

  constructor(
    private readonly fields: HTMLFieldSetElement,
    private readonly part: CuePart,
    private readonly voices: ReadonlyArray<KnownVoice>,
    private readonly maxSpeed: number
  ) {
    this.name = part.name
    this.text = fields.querySelector("textarea")
    this.count = fields.querySelector(".count")
    if (this.count !== null) {
      this.count.id = `edit-count-${part.name}`
      this.text?.setAttribute("aria-describedby", this.count.id)
    }
    fieldOf(fields, "provider")?.addEventListener("change", () => this.adoptSpeeds())
    fields.addEventListener("input", () => this.forecast())
    this.show(part.now)
  }

  /** Fills the fields; does nothing if there is no such line. */
  show(edit: ReviewEdit | undefined): void {
    if (edit === undefined) return
    for (const name of ["say", "voice", "provider", "speed", "start", "end"] as const) {
      const field = fieldOf(this.fields, name)
      if (field === undefined) continue
      const value = edit[name]
      field.value = value === undefined ? "" : `${value}`
      field.disabled = value === undefined
    }
    this.forecast()
  }

  /** The line, with the values of the fields. */
  get edit(): ReviewEdit {
    const [speed, start, end] = [this.number("speed"), this.number("start"), this.number("end")]
    return {
      say: this.value("say").replaceAll(/\s+/gu, " "),
      provider: this.value("provider"),
      voice: this.value("voice"),
      ...(speed === undefined ? {} : { speed }),
      ...(start === undefined ? {} : { start }),
      ...(end === undefined ? {} : { end })
    }
  }

  /** A provider without a speed control takes none. */
  private adoptSpeeds(): void {
    const speed = fieldOf(this.fields, "speed")
    const provider = this.value("provider")
    const speeds = this.voices.find((known) => known.provider === provider)?.speeds
    if (speed === undefined) return
    speed.disabled = speeds === undefined
    speed.value = speeds === undefined ? "" : speed.value === "" ? "1" : speed.value
  }

  /** Counts the characters against the slot, and forecasts the speed. */
  private forecast(): void {
    if (this.count === null) return
    const { edit } = this
    const { tail } = this.part
    const pace = this.paceOf(edit)
    const forecast =
      edit.start === undefined || edit.end === undefined || tail === undefined || pace === undefined
        ? undefined
        : forecastLine(edit.say, {
            start: edit.start,
            end: edit.end,
            tail,
            pace,
            speed: edit.speed ?? 1,
            maxSpeed: this.maxSpeed
          })
    const { characters, fitting, speed, fits } = forecast ?? {
      characters: [...edit.say].length,
      fitting: undefined,
      speed: undefined,
      fits: true
    }
    this.count.classList.toggle("over", !fits)
    this.count.textContent =
      fitting === undefined || speed === undefined
        ? `${characters} characters`
        : `${characters} of ${fitting} characters; about ${speed.toFixed(2)}×${fits ? "" : `: ${characters - fitting} too many for ${this.maxSpeed.toFixed(2)}×`}`
  }

  /** The pace of the line itself, if its voice stays; else that of the new voice, if known. */
  private paceOf({ provider, voice }: ReviewEdit): number | undefined {
    const { now, pace } = this.part
    const known = this.voices.find((one) => one.provider === provider && one.voice === voice)?.pace
    return provider === now.provider && voice === now.voice ? (pace ?? known) : known
  }

  private value(name: string): string {
    return fieldOf(this.fields, name)?.value.trim() ?? ""
  }

  private number(name: string): number | undefined {
    const field = fieldOf(this.fields, name)
    return field === undefined || field.disabled || field.value === "" ? undefined : Number(field.value)
  }
}

type Field = HTMLInputElement | HTMLTextAreaElement

const fieldOf = (fields: HTMLFieldSetElement, name: string): Field | undefined => {
  const found = fields.elements.namedItem(name)
  return found instanceof HTMLInputElement || found instanceof HTMLTextAreaElement ? found : undefined
}
