/** Circuit breaker: opens after several consecutive failures, and closes when a probe succeeds. */

/** Consecutive failures since the last response. */
export interface Breaker {
  readonly faults: number
}

/** The initial, closed state. */
export const closedBreaker: Breaker = { faults: 0 }

/** Consecutive failures that open the breaker. */
export const faultsToOpen = 5

/** Returns the state after a failure. */
export const recordFailure = (breaker: Breaker): Breaker => ({ faults: breaker.faults + 1 })

/** Returns the state after any response that is not a service failure. */
export const recordSuccess = (breaker: Breaker): Breaker => (breaker.faults === 0 ? breaker : closedBreaker)

/** Returns whether requests must wait for a successful probe. */
export const isOpen = (breaker: Breaker): boolean => breaker.faults >= faultsToOpen
