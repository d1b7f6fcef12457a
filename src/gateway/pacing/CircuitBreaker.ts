/**
 * A circuit breaker: after several faults in a row the service is left alone until a probe says that it is in order.
 */

/** Faults in a row since the last answer. */
export interface Breaker {
  readonly faults: number
}

/** The breaker of a service that is in order. */
export const closedBreaker: Breaker = { faults: 0 }

/** Faults in a row after which it opens. */
export const faultsToOpen = 5

/** After a fault. */
export const recordFailure = (breaker: Breaker): Breaker => ({ faults: breaker.faults + 1 })

/** After any answer that is no fault of the service. */
export const recordSuccess = (breaker: Breaker): Breaker => (breaker.faults === 0 ? breaker : closedBreaker)

/** Whether the service is to be left alone. */
export const isOpen = (breaker: Breaker): boolean => breaker.faults >= faultsToOpen
