/** The dashboard and the alert rules only use metrics of the service, with labels of those metrics. */
import { readFileSync } from "node:fs"
import { Effect } from "effect"
import { expect, test } from "vitest"
import { parse } from "yaml"
import { ServiceMetrics } from "../../src/service/failover/ServiceMetrics.ts"

/** The labels of each metric, by its name, from a page on which every metric has a value. */
const exported = Effect.runSync(
  Effect.map(ServiceMetrics, (metrics) => {
    metrics.request("GET", "/", 200, 0.1)
    metrics.task("p", "done", 1, 1)
    metrics.engineUse("p", "e", "spoken")
    metrics.engineAside("p", "e", false)
    const page = metrics.page({ queued: 0, processing: 0, draining: false, freeDisk: 1 })
    const labels = new Map<string, Set<string>>()
    for (const [, name = "", list = ""] of page.matchAll(/^([a-z_]+)(?:\{(.*)\})? /gmu)) {
      const known = labels.get(name) ?? new Set(["job", "le"])
      labels.set(name, known)
      for (const [, label = ""] of list.matchAll(/([a-z_]+)="/gu)) known.add(label)
    }
    return labels
  }).pipe(Effect.provide(ServiceMetrics.Default))
)

const collect = (value: unknown, key: string): ReadonlyArray<string> =>
  typeof value !== "object" || value === null
    ? []
    : Object.entries(value).flatMap(([name, inner]) =>
        name === key && typeof inner === "string" ? [inner] : collect(inner, key)
      )

const expressions = [
  ...collect(JSON.parse(readFileSync("containers/monitoring/dashboard.json", "utf8")), "expr"),
  ...collect(parse(readFileSync("containers/monitoring/alerts.yaml", "utf8")), "expr")
]

test("every expression uses metrics and labels of the service", () => {
  expect(expressions.length).toBeGreaterThan(15)
  for (const expression of expressions) {
    const used = [...expression.matchAll(/\b((?:dubwright|process|nodejs)_[a-z_]+)(?:\{([^}]*)\})?/gu)]
    if (!expression.startsWith("up{")) expect(used.length, expression).toBeGreaterThan(0)
    const grouped = [...expression.matchAll(/by \(([^)]*)\)/gu)].flatMap(([, list = ""]) =>
      list.split(/,\s*/u)
    )
    for (const [, name = "", selector = ""] of used) {
      const labels = [...selector.matchAll(/([a-z_]+)\s*=/gu)].map(([, label = ""]) => label)
      expect([...(exported.get(name) ?? [])], `${name} in ${expression}`).toEqual(
        expect.arrayContaining([...labels, ...grouped])
      )
    }
  }
})

test("every metric of the service is on the dashboard", () => {
  const shown = expressions.join(" ")
  const missing = [...exported.keys()].filter(
    (name) => !shown.includes(name.replace(/_(?:sum|count)$/u, "_bucket"))
  )
  expect(missing).toEqual([])
})

test("each alert says what happened and what to do", () => {
  const { groups } = parse(readFileSync("containers/monitoring/alerts.yaml", "utf8"))
  for (const { alert, annotations, labels } of groups[0].rules) {
    expect(annotations.summary, alert).toMatch(/^[A-Z]/u)
    expect(annotations.description, alert).toMatch(/\.$/u)
    expect(["warning", "critical"], alert).toContain(labels.severity)
  }
})
