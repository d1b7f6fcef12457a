/** The window under which the filters' sincs are cut. */

/** The Kaiser window of shape `beta`: `x` from -1 to 1 goes over its length; 0 outside. */
export const kaiser = (x: number, beta: number): number =>
  x * x > 1 ? 0 : bessel(beta * Math.sqrt(1 - x * x)) / bessel(beta)

/** The modified Bessel function of the first kind and order 0: its power series, as far as terms change the sum. */
const bessel = (x: number): number => {
  let sum = 1
  let term = 1
  for (let k = 1; term > sum * 2 ** -54; k++) {
    term *= (x / (2 * k)) ** 2
    sum += term
  }
  return sum
}
