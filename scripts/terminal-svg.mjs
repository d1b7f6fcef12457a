// Draws a terminal recording as an animated SVG: one group per frame, stacked as a film strip that CSS moves in steps.
import headless from "@xterm/headless"

/** Size of the terminal, in cells. The summary table of a run fits in one piece. */
export const [columns, rows] = [80, 22]

/** Size of a cell and the window's edges, in units of the view box. */
const cell = { width: 8.4, height: 20 }
const edge = { x: 18, top: 40, bottom: 14 }
const width = Math.round(columns * cell.width + 2 * edge.x)
const height = rows * cell.height + edge.top + edge.bottom

const n = (value) => String(Math.round(value * 100) / 100)
const escaped = (text) => text.replace(/&/gu, "&amp;").replace(/</gu, "&lt;").replace(/"/gu, "&quot;")

/** CSS classes of the 8 basic ANSI colours, by number. */
const colours = ["k", "r", "g", "y", "b", "m", "c", "w"]

const classOf = (one) =>
  [
    ...(one.isFgPalette() ? [colours[one.getFgColor() % 8]] : []),
    ...(one.isBold() ? ["bold"] : []),
    ...(one.isDim() ? ["dim"] : [])
  ].join(" ")

/** Returns the screen's rows as lists of runs: cells of one style, without blanks at either end. */
const screenOf = (terminal) => {
  const { active } = terminal.buffer
  return Array.from({ length: rows }, (_, row) => {
    const line = active.getLine(active.viewportY + row)
    const runs = []
    for (let column = 0; column < columns; column++) {
      const one = line.getCell(column)
      // Fonts disagree about the width of U+202F; a terminal gives it a whole cell.
      const text = one.getChars().replace("\u202f", " ")
      const kind = /[█░]/u.test(text) ? text : "text"
      const look = `${kind} ${classOf(one)}`
      const last = runs.at(-1)
      if (last?.look === look && last.column + last.text.length === column) last.text += text || " "
      else if (text.trim() !== "") runs.push({ look, kind, style: classOf(one), column, text })
    }
    // Wide gaps are left out, so that the columns of a table stay aligned in any font.
    return runs.flatMap((run) =>
      [...run.text.matchAll(/\S+(?: \S+)*/gu)].map((part) => ({
        ...run,
        column: run.column + part.index,
        text: part[0]
      }))
    )
  })
}

const runMarkup = ({ kind, style, column, text }) => {
  const x = n(column * cell.width)
  const long = n(text.length * cell.width)
  const look = style === "" ? "" : ` class="${style}"`
  if (kind !== "text") {
    return `<rect x="${x}" y="3" width="${long}" height="14"${look}${kind === "░" ? ' opacity=".45"' : ""}/>`
  }
  return `<text x="${x}" y="15" textLength="${long}"${look}>${escaped(text)}</text>`
}

/**
 * Plays output into a terminal and returns its screens as frames. `output` holds texts with their times in seconds;
 * texts closer together than `gap` make one frame.
 */
export const framesOf = async (output, gap) => {
  const terminal = new headless.Terminal({ cols: columns, rows, allowProposedApi: true })
  const frames = []
  for (const [at, { time, text }] of output.entries()) {
    await new Promise((written) => terminal.write(text, written))
    const next = output[at + 1]
    // A redraw may arrive in two pieces; the screen between them is not shown.
    if (next !== undefined && next.time - time < 0.03) continue
    const screen = screenOf(terminal).map((runs) => runs.map(runMarkup).join(""))
    const last = frames.at(-1)
    if (last?.screen.join("\n") === screen.join("\n")) continue
    if (last !== undefined && Math.floor(last.time / gap) === Math.floor(time / gap)) last.screen = screen
    else frames.push({ time, screen })
  }
  terminal.dispose()
  return frames
}

/** Draws frames; the last one stays for `hold` seconds. Without animation, only the last one is seen. */
export const terminalSvg = (frames, { title, description, hold }) => {
  const start = frames[0].time
  const seconds = frames.at(-1).time - start + hold
  const ids = new Map()
  const idOf = (row) => {
    if (!ids.has(row)) ids.set(row, `r${ids.size}`)
    return ids.get(row)
  }
  const strip = rows * cell.height
  const groups = frames.map(
    ({ screen }, frame) =>
      `<g>${screen
        .flatMap((row, at) =>
          row === "" ? [] : [`<use href="#${idOf(row)}" y="${frame * strip + at * cell.height}"/>`]
        )
        .join("")}</g>`
  )
  const steps = frames.map(
    ({ time }, frame) => `${n(((time - start) / seconds) * 100)}%{transform:translateY(-${frame * strip}px)}`
  )
  const end = `translateY(-${(frames.length - 1) * strip}px)`
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-labelledby="title desc">
<title id="title">${escaped(title)}</title>
<desc id="desc">${escaped(description)}</desc>
<style>
text{font:14px ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace}
text,rect{fill:#cfd8e6}.bold{fill:#fff;font-weight:600}.dim{fill:#8696ae}
.r{fill:#ef7187}.g{fill:#5cc98b}.y{fill:#e3b45f}.b,.c{fill:#6aa5ee}
.film{transform:${end};animation:play ${n(seconds)}s step-end infinite}
@keyframes play{${steps.join("")}100%{transform:${end}}}
@media (prefers-reduced-motion:reduce){.film{animation:none}}
</style>
<rect x=".5" y=".5" width="${width - 1}" height="${height - 1}" rx="10" style="fill:#111a2b;stroke:#3a475c"/>
<g style="fill:#3a475c"><circle cx="22" cy="20" r="6"/><circle cx="42" cy="20" r="6"/><circle cx="62" cy="20" r="6"/></g>
<defs>
${[...ids].map(([row, id]) => `<g id="${id}">${row}</g>`).join("\n")}
</defs>
<svg x="${edge.x}" y="${edge.top}" width="${n(columns * cell.width)}" height="${strip}"><g class="film">
${groups.join("\n")}
</g></svg>
</svg>
`
}
