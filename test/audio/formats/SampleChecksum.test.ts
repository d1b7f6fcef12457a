/** The checksum of samples against Node's MD5. */
import { createHash } from "node:crypto"
import { it } from "@effect/vitest"
import { FastCheck as fc } from "effect"
import { expect } from "vitest"
import { SampleChecksum } from "../../../src/audio/formats/SampleChecksum.ts"
import { randomOf } from "../signals.ts"

it.prop(
  "is Node's MD5 for pieces of any size, also continued from a saved state after each",
  [fc.integer({ min: 1, max: 1_000_000 }), fc.array(fc.oneof(fc.nat(130), fc.nat(70_000)), { maxLength: 6 })],
  ([seed, sizes]) => {
    const random = randomOf(seed)
    const node = createHash("md5")
    const whole = new SampleChecksum()
    let resumed = new SampleChecksum()
    for (const size of sizes) {
      const bytes = Uint8Array.from({ length: size }, () => 256 * random())
      node.update(bytes)
      whole.add(bytes)
      resumed.add(bytes)
      resumed = new SampleChecksum(resumed.state())
    }
    const expected = Uint8Array.from(node.digest())
    expect(whole.digest()).toEqual(expected)
    expect(resumed.digest()).toEqual(expected)
  },
  { fastCheck: { numRuns: 40 } }
)
