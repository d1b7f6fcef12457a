/** Lines without end, as a client of the service may send them: reading takes time in proportion to their length. */
import { expect, test } from "vitest"
import { isSrt, readEntries } from "../../../../src/service/tasks/SrtText.ts"

const time = "1\n00:00:01,000 --> 00:00:02,000"
const heads = ["", "1\n00:00:01,000 --> ", `${time} `, `${time}\n`, "1\n[00:01 --> 00:02]"]
const signs = ["0", "a", " ", ":", "-", "<", "[", "\n", "\u2028"]

// 10,000 signs take 10 ms of the processor; with patterns of the length's square, they took 400 ms.
test.each(heads)("%j and any two signs, repeated", (head) => {
  for (const one of signs) {
    for (const other of signs) {
      const text = `${head}${(one + other).repeat(5_000)}x\n`
      const before = process.cpuUsage().user
      isSrt(text)
      readEntries(text)
      expect([one, other, (process.cpuUsage().user - before) / 1000 < 200]).toEqual([one, other, true])
    }
  }
})
