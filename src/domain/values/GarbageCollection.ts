/** Asks V8 for a full garbage collection. */
import { getHeapSpaceStatistics, setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"

/**
 * Collects all garbage of the calling thread. Frees buffers and WebAssembly memory that V8 would otherwise keep until
 * its small JavaScript heap fills up. Takes 2 to 10 ms on a small heap.
 */
export const collectGarbage = (): void => {
  collect ??= exposed()
  collect?.()
}

let collect: (() => void) | undefined

const exposed = (): (() => void) | undefined => {
  setFlagsFromString("--expose-gc")
  const gc: unknown = runInNewContext("globalThis.gc")
  return typeof gc === "function" ? () => void gc() : undefined
}

/** Heaps that are smaller, in bytes of old objects, are left to V8. */
const smallHeap = 32 * 1024 * 1024

/** Growth in bytes that is worth a collection. */
const worthCollecting = 8 * 1024 * 1024

/** Bytes of old objects after the last collection; undefined if this process does not collect between steps. */
let collected: number | undefined

/**
 * Lets `collectGrownHeap` collect. Only for a process that does nothing but run a batch: its heap is the batch's.
 * Returns the function that ends it.
 */
export const collectBetweenSteps = (): (() => void) => {
  collected = smallHeap
  return () => {
    collected = undefined
  }
}

/**
 * Collects all garbage between two steps of work on a film, if old objects have grown by 8 MiB since the last
 * collection. V8 waits until they have grown by a share of the live heap, so a film with ten times as many lines would
 * also leave ten times as much garbage.
 */
export const collectGrownHeap = (): void => {
  if (collected === undefined) return
  const before = oldBytes()
  collected = Math.max(smallHeap, Math.min(collected, before))
  if (before < collected + worthCollecting) return
  collectGarbage()
  collected = oldBytes()
}

const oldBytes = (): number =>
  getHeapSpaceStatistics().reduce(
    (sum, { space_name, space_used_size }) => (space_name.startsWith("new_") ? sum : sum + space_used_size),
    0
  )
