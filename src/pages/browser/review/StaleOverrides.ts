/** Buttons that remove accepted changes which no longer have any effect. */
import { byId } from "../Dom.ts"
import { ask } from "./ReviewClient.ts"

/** Attaches the handlers; does nothing if the page has no such buttons. */
export const listenToStaleOverrides = (): void => {
  for (const button of document.querySelectorAll<HTMLButtonElement>("button.idle"))
    button.addEventListener("click", () => void taken(button))
}

const taken = async (button: HTMLButtonElement): Promise<void> => {
  const status = byId("idle-status", HTMLElement)
  button.disabled = true
  status.className = ""
  status.textContent = "Removing…"
  try {
    await ask<object>(`cues/${button.dataset["cue"] ?? ""}/withdraw`, {})
    location.reload()
  } catch (error) {
    button.disabled = false
    status.className = "error"
    status.textContent = error instanceof Error ? error.message : `${error}`
  }
}
