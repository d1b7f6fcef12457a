/** Undo and redo of accepted changes. */
import type { DeliveryStanding } from "../../data/ReviewProtocol.ts"
import { byId } from "../Dom.ts"
import type { Delivering } from "./DeliveryStatus.ts"
import { ask } from "./ReviewClient.ts"

/** The undo and redo buttons. */
export class ChangeHistory {
  private readonly buttons = { undo: byId("undo", HTMLButtonElement), redo: byId("redo", HTMLButtonElement) }

  private isAsking = false

  /** `changed` is called with the server's response after a step. */
  constructor(
    private readonly delivering: Delivering,
    private readonly changed: (standing: DeliveryStanding) => void
  ) {
    delivering.hear((standing) => this.show(standing))
    for (const step of ["undo", "redo"] as const)
      this.buttons[step].addEventListener("click", () => void this.go(step))
  }

  /** Undoes or redoes one change; the server delivers the job in the background. */
  async go(step: "undo" | "redo"): Promise<void> {
    // Right after a reload, the buttons may not know what can be undone, but the server does.
    if (this.isAsking) return
    this.isAsking = true
    const before = Object.values(this.buttons).map((button) => [button, button.disabled] as const)
    for (const [button] of before) button.disabled = true
    try {
      const standing = await ask<DeliveryStanding>(step, {})
      this.show(standing)
      this.changed(standing)
      void this.delivering.watch()
    } catch (error) {
      for (const [button, wasDisabled] of before) button.disabled = wasDisabled
      this.delivering.fail(error)
    } finally {
      this.isAsking = false
    }
  }

  private show({ canUndo, canRedo }: DeliveryStanding): void {
    if (canUndo !== undefined) this.buttons.undo.disabled = !canUndo
    if (canRedo !== undefined) this.buttons.redo.disabled = !canRedo
  }
}
