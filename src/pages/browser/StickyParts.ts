/** The parts of a job's page that stay in view at its top: the player and, on narrow screens, the film. */

const player = document.querySelector<HTMLElement>(".player")
const side = document.querySelector<HTMLElement>(".side")

/** Keeps the heights of the parts in properties of the style sheet, so that scrolling stops below them. */
export const keepHeights = (): void => {
  const keep = (): void => {
    const { style } = document.documentElement
    style.setProperty("--player-height", `${Math.ceil(player?.offsetHeight ?? 0)}px`)
    style.setProperty("--cover-height", `${Math.ceil(coverHeight())}px`)
  }
  const observer = new ResizeObserver(keep)
  for (const part of [player, side]) if (part !== null) observer.observe(part)
  addEventListener("resize", keep)
  keep()
}

/** Pixels at the top of the window that the parts cover once the page is scrolled. */
const coverHeight = (): number => (player?.offsetHeight ?? 0) + (covers(side) ? (side?.offsetHeight ?? 0) : 0)

/** Whether the film is above the cues, not beside them, and stays there. */
const covers = (part: HTMLElement | null): boolean =>
  part !== null &&
  getComputedStyle(part).position === "sticky" &&
  part.offsetWidth > (part.parentElement?.clientWidth ?? 0) / 2

/**
 * Scrolls to a row unless it is visible. Never stops within the page's heading: it is either shown whole, or scrolled
 * away down to the player, which sticks to the top.
 */
export const bringIntoView = (row: HTMLTableRowElement): void => {
  const cover = covers(side) ? side : player
  const box = row.getBoundingClientRect()
  if (box.top >= (cover?.getBoundingClientRect().bottom ?? 0) && box.bottom <= innerHeight) return
  row.scrollIntoView({ block: "nearest" })
  const headingEnd = scrollY + (player?.previousElementSibling?.getBoundingClientRect().bottom ?? 0)
  if (scrollY === 0 || scrollY >= headingEnd) return
  const isSeenFromTop = row.getBoundingClientRect().bottom + scrollY <= innerHeight
  scrollTo({ top: isSeenFromTop ? 0 : headingEnd })
}

/** Scrolls to a row far away. It may move while the rows around it are measured, so its place is checked again. */
export const reachRow = (row: HTMLTableRowElement): void => {
  row.scrollIntoView({ block: "center" })
  let frames = 3
  const settle = (): void => {
    bringIntoView(row)
    if (--frames > 0) requestAnimationFrame(settle)
  }
  requestAnimationFrame(settle)
}

/** Scrolls the heading away: with the player at the top of the window, the edit box has the most room. */
export const leaveHeading = (): void => {
  const headingEnd = scrollY + (player?.previousElementSibling?.getBoundingClientRect().bottom ?? 0)
  if (scrollY < headingEnd) scrollTo({ top: headingEnd })
}
