/** What the conformance check must find in the bundled service, on every kind of storage. */
import { expect } from "vitest"
import type { Finding } from "./Walk.ts"

/** Expects that every point holds. Only points that do not apply to a provider may be skipped. */
export const expectConformance = (findings: ReadonlyArray<Finding>): void => {
  const points = (verdict: Finding["verdict"]) =>
    findings.filter((finding) => finding.verdict === verdict).map(({ point }) => point)
  expect(findings.filter(({ verdict }) => verdict === "broken")).toEqual([])
  expect(points("skipped")).toEqual(
    ["provider_fast", "provider_lowcost", "provider_opensource"].map(
      (provider) => `2 transcripts of ${provider}, if any, can be fetched and read`
    )
  )
  expect(points("holds").length).toBeGreaterThan(40)
}
