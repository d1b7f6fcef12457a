/** Kaiser window for windowed-sinc filters. */

/** Returns the Kaiser window of shape `beta` at `x`, where -1 to 1 spans the window; 0 outside. */
export const kaiser = (x: number, beta: number): number =>
  x * x > 1 ? 0 : bessel(beta * Math.sqrt(1 - x * x)) / bessel(beta)

/**
 * Returns the modified Bessel function of the first kind, order 0: its power series, until terms no longer change the
 * sum.
 */
const bessel = (x: number): number => {
  let sum = 1
  let term = 1
  for (let k = 1; term > sum * 2 ** -54; k++) {
    term *= (x / (2 * k)) ** 2
    sum += term
  }
  return sum
}
