/**
 * The bundled service conforms to the public interface, and the conformance check finds faults in services that do not.
 */
import { describe, expect, test } from "vitest"
import { startService } from "../service/start.ts"
import { type Fault, otherKey, startOther } from "./OtherService.ts"
import { expectConformance } from "./Expectation.ts"
import { Service } from "./Service.ts"
import { type Finding, providerIds, walk } from "./Walk.ts"

const silent = () => undefined
const points = (findings: ReadonlyArray<Finding>, verdict: Finding["verdict"]) =>
  findings.filter((finding) => finding.verdict === verdict).map((finding) => finding.point)

test("the bundled service conforms to every point of the interface", async () => {
  const started = await startService()
  try {
    const service = new Service(started.address, started.key)
    const findings = await walk(service, { providers: providerIds, patience: 60 }, silent)
    expectConformance(findings)
  } finally {
    await started.stop()
  }
})

describe("the conformance check", () => {
  const walked = async (fault: Fault) => {
    const other = await startOther(fault)
    try {
      return await walk(
        new Service(other.address, otherKey),
        { providers: ["provider_fast", "provider_native"], patience: 5 },
        silent
      )
    } finally {
      other.stop()
    }
  }

  test("passes a service that decides all open points differently", async () => {
    expect((await walked("none")).filter((finding) => finding.verdict === "broken")).toEqual([])
  })

  test.each<readonly [Fault, string]>([
    ["open-door", "5.2 a key that was not issued is rejected"],
    ["no-limit", "4 GET /v1/voices: limit is the page size"],
    ["no-minimum", "8 provider_native rejects plain text under 100 characters"],
    ["silent", "3.1 the task of provider_fast is done when it has an audio_url, and the audio exists"],
    ["forgets", "2 the task of provider_fast keeps its voice_name"],
    ["keeps-deleted", "4 DELETE /v1/task/delete deletes a task"]
  ])("finds the fault %s", async (fault, point) => {
    expect(points(await walked(fault), "broken")).toContain(point)
  })
})
