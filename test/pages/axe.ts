/** Accessibility checks of a page with axe-core. */
import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import type { Page } from "playwright-core"

const source = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8")

interface Finding {
  readonly id: string
  readonly impact: string | null
  readonly nodes: ReadonlyArray<{ readonly html: string; readonly failureSummary: string }>
}

/** Returns the serious and critical findings, each with the first element concerned. */
export const seriousFindings = async (page: Page): Promise<ReadonlyArray<string>> => {
  // As an expression, not as a script element: the page's Content-Security-Policy forbids those.
  await page.evaluate(source)
  const findings = await page.evaluate<ReadonlyArray<Finding>>(
    "axe.run().then(({ violations }) => violations)"
  )
  return findings
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .map(({ id, nodes: [first] }) => `${id}: ${first?.failureSummary ?? ""} ${first?.html ?? ""}`)
}
