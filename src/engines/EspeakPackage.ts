/** Finds eSpeak NG's package, which an installation without GPL parts lacks. */
import { createRequire } from "node:module"

export const espeakPackageName = "@echogarden/espeak-ng-emscripten"

/** The version that the tests use. */
const version = "0.3.5"

/** How to install it. */
export const espeakAdvice = `npm install -g ${espeakPackageName}@${version}`

/** Returns the path of the package's script; undefined if it is not installed. Does not load it. */
export const espeakPackage = (): string | undefined => {
  try {
    return createRequire(import.meta.url).resolve(espeakPackageName)
  } catch {
    return undefined
  }
}
