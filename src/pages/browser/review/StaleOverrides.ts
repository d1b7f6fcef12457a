/** The changes that change nothing any more: each is taken away by its button. */
import { byId } from "../Dom.ts"
import { ask } from "./ReviewClient.ts"

/** Makes the buttons work, where the page has any. */
export const listenToStaleOverrides = (): void => {
  for (const button of document.querySelectorAll<HTMLButtonElement>("button.idle"))
    button.addEventListener("click", () => void taken(button))
}

const taken = async (button: HTMLButtonElement): Promise<void> => {
  const status = byId("idle-status", HTMLElement)
  button.disabled = true
  status.className = ""
  status.textContent = "Taking it away …"
  try {
    await ask<object>(`cues/${button.dataset["cue"] ?? ""}/withdraw`, {})
    location.reload()
  } catch (error) {
    button.disabled = false
    status.className = "error"
    status.textContent = error instanceof Error ? error.message : `${error}`
  }
}
