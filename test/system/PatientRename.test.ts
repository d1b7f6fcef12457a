/** Renaming over a file that another program has open, as Windows reports it. */
import { expect, test } from "vitest"
import { renamePatiently } from "../../src/system/PatientRename.ts"

/** Renames with the first `failures` attempts failing, and returns what happened. */
const attempt = async (platform: NodeJS.Platform, code: string, failures: number) => {
  const waits: Array<number> = []
  let attempts = 0
  const error = await renamePatiently("a.part", "a", {
    platform,
    move: () =>
      ++attempts > failures ? Promise.resolve() : Promise.reject(Object.assign(new Error(code), { code })),
    wait: (milliseconds) => Promise.resolve(waits.push(milliseconds))
  }).then(
    () => undefined,
    (cause: unknown) => String(cause)
  )
  return { attempts, waits, error }
}

test("on Windows, waits for the program that holds the file, but not for ever", async () => {
  expect(await attempt("win32", "EPERM", 0)).toEqual({ attempts: 1, waits: [], error: undefined })
  expect(await attempt("win32", "EBUSY", 2)).toEqual({ attempts: 3, waits: [10, 20], error: undefined })
  expect(await attempt("win32", "EACCES", 99)).toEqual({
    attempts: 8,
    waits: [10, 20, 40, 80, 160, 320, 640],
    error: "Error: EACCES"
  })
})

test("any other error, and any error elsewhere, counts at once", async () => {
  expect(await attempt("win32", "ENOSPC", 1)).toEqual({ attempts: 1, waits: [], error: "Error: ENOSPC" })
  expect(await attempt("linux", "EPERM", 1)).toEqual({ attempts: 1, waits: [], error: "Error: EPERM" })
})
