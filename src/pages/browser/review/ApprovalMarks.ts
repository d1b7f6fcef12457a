/** Shows, filters, gives and withdraws approvals on the review page. */
import type { DeliveryStanding, ShownApproval, ShownApprovals } from "../../data/ReviewProtocol.ts"
import { byId } from "../Dom.ts"
import { ask } from "./ReviewClient.ts"

/** The approvals of the page's job. */
export class ApprovalMarks {
  private approvals: ShownApprovals = JSON.parse(byId("approvals", HTMLScriptElement).text)
  private readonly live = byId("live", HTMLElement)
  private readonly cueButton = byId("approve", HTMLButtonElement)
  private readonly jobButton = byId("approve-job", HTMLButtonElement)
  private readonly jobWords = byId("approval", HTMLElement)
  private current: number | undefined

  /** `changed` is called when approvals have changed; `failed` shows an error. */
  constructor(
    private readonly changed: () => void,
    private readonly failed: (error: unknown) => void
  ) {
    this.cueButton.addEventListener("click", () => this.toggle(this.current))
    this.jobButton.addEventListener("click", () => this.toggleJob())
    this.show()
  }

  /** Takes the approvals of a response, if it has any. */
  adopt({ approvals }: DeliveryStanding): void {
    if (approvals === undefined) return
    this.approvals = approvals
    this.show()
    this.changed()
  }

  /** Shows in a row whether its cue is approved. */
  decorate(row: HTMLTableRowElement, cue: number): void {
    const approval = this.approvals.cues[cue]
    row.classList.toggle("approved", approval !== undefined && approval.isStale !== true)
    const cell = row.querySelector(".look")
    cell?.querySelector(".approval")?.remove()
    if (approval === undefined || cell === null) return
    const mark = document.createElement("span")
    mark.className = `approval ${approval.isStale === true ? "stale" : "valid"}`
    mark.textContent = approval.isStale === true ? "approval out of date" : "approved"
    mark.title = `approved ${wordsOf(approval)}${approval.isStale === true ? "; it has changed since" : ""}`
    cell.append(mark)
  }

  /** Whether a cue passes a filter about approvals; undefined for other filters. */
  passes(cue: number, filter: string): boolean | undefined {
    const approval = this.approvals.cues[cue]
    switch (filter) {
      case "approval:valid":
        return approval !== undefined && approval.isStale !== true
      case "approval:stale":
        return approval?.isStale === true
      case "approval:none":
        return approval === undefined
      default:
        return undefined
    }
  }

  /** Keeps the button in step with the current cue. */
  follow(cue: number | undefined): void {
    this.current = cue
    this.cueButton.disabled = cue === undefined
    this.cueButton.setAttribute(
      "aria-pressed",
      `${cue !== undefined && this.passes(cue, "approval:valid") === true}`
    )
  }

  /** Approves a cue, or withdraws its approval. */
  toggle(cue: number | undefined): void {
    if (cue === undefined) return
    const approved = this.passes(cue, "approval:valid") !== true
    void this.send({ cues: [cue], approved }, `Cue ${cue} ${approved ? "approved" : "no longer approved"}`)
  }

  /** Approves the job, or withdraws its approval. */
  toggleJob(): void {
    const approved = this.approvals.job === undefined || this.approvals.job.isStale === true
    void this.send({ job: true, approved }, approved ? "Job approved" : "Job no longer approved")
  }

  private async send(request: object, words: string): Promise<void> {
    try {
      this.adopt(await ask<DeliveryStanding>("approve", request))
      this.live.textContent = words
    } catch (error) {
      this.failed(error)
    }
  }

  private show(): void {
    const { job } = this.approvals
    this.jobButton.setAttribute("aria-pressed", `${job !== undefined && job.isStale !== true}`)
    this.jobWords.textContent =
      job === undefined
        ? ""
        : job.isStale === true
          ? `Approval out of date: the job has changed since (${wordsOf(job)})`
          : `Approved ${wordsOf(job)}`
    this.follow(this.current)
  }
}

const wordsOf = ({ by, at }: ShownApproval): string =>
  `by ${by}, ${at.replace("T", " ").replace("Z", " UTC")}`
