/** Keyboard handling for the pages, including the help dialog. */
import type { KeyHelp } from "../parts/KeyBindings.ts"
import { byId } from "./Dom.ts"

/**
 * Runs the action of a pressed shortcut, unless the focused field uses that key itself. Arrow keys scroll the page
 * unless the focus is in `list`. `?` and its button open the help, where shortcuts can be turned off: they may collide
 * with those of assistive technology.
 */
export const listenToKeys = <Action extends string>(
  keys: ReadonlyArray<KeyHelp<Action>>,
  list: Element,
  act: (action: Action) => void
): void => {
  const dialog = byId("help", HTMLDialogElement)
  const on = byId("keys-on", HTMLInputElement)
  const open = () => {
    if (!dialog.open) dialog.showModal()
  }
  byId("help-open", HTMLButtonElement).addEventListener("click", open)
  document.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.altKey) return
    if (document.querySelector("dialog:modal") !== null) return
    const target = event.target instanceof Element ? event.target : document.body
    const name = event.ctrlKey || event.metaKey ? `Control+${event.key.toLowerCase()}` : event.key
    const pressed = keys.find((each) => each.keys.includes(name))
    if (pressed === undefined || takenBy(target, event.key)) return
    if (!on.checked && pressed.action !== "leave") return
    if (event.key.startsWith("Arrow") && !list.contains(target)) return
    event.preventDefault()
    if (pressed.action === "help") open()
    else act(pressed.action)
  })
}

/** Whether the focused element uses a key itself. */
const takenBy = (target: Element, key: string): boolean => {
  if (key === "Escape") return false
  if (target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement) return true
  if (target instanceof HTMLInputElement)
    return target.type === "range" ? key.startsWith("Arrow") : target.type !== "checkbox" || key === " "
  const pressable =
    target instanceof HTMLButtonElement || target instanceof HTMLAnchorElement || target.tagName === "SUMMARY"
  return pressable && (key === "Enter" || key === " ")
}
