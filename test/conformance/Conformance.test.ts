/** Our own service keeps every point of the public interface. */
import { expect, test } from "vitest"
import { startService } from "../service/start.ts"
import { Service } from "./Service.ts"
import { providerIds, walk } from "./Walk.ts"

test("every point of the interface holds for our own service", async () => {
  const started = await startService()
  try {
    const findings = await walk(
      new Service(started.address, started.key),
      { providers: providerIds, patience: 60 },
      () => undefined
    )
    expect(findings.filter((finding) => finding.verdict === "broken")).toEqual([])
    // Only what a provider does not have may go unexamined.
    expect(
      findings.filter((finding) => finding.verdict === "skipped").map((finding) => finding.point)
    ).toEqual(
      ["provider_fast", "provider_native", "provider_lowcost", "provider_opensource"].map(
        (provider) => `2 transcripts of ${provider}, where there are any, can be fetched and read`
      )
    )
    expect(findings.filter((finding) => finding.verdict === "holds").length).toBeGreaterThan(40)
  } finally {
    await started.stop()
  }
})
