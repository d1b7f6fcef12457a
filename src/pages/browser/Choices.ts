/** Keeps choices of the user across reloads of the page, such as the sound to hear, until the tab closes. */

/** Returns a choice made earlier in this tab. */
export const remembered = (name: string): string | undefined => {
  // A page that opens from disk may have no storage.
  try {
    return sessionStorage.getItem(`dubwright ${name}`) ?? undefined
  } catch {
    return undefined
  }
}

/** Keeps a choice until the tab closes. */
export const remember = (name: string, choice: string): void => {
  try {
    sessionStorage.setItem(`dubwright ${name}`, choice)
  } catch {
    return
  }
}
