/** Names of files and folders that every system takes: what is made on one is opened on another. */

/**
 * Bytes of UTF-8 at most: file systems take 255 in a name, and results add an ending and what marks a file
 * half-written.
 */
export const mostBytes = 220

/**
 * What no system is to be asked for in a name: slashes, control characters, halves of surrogate pairs, and what Windows
 * has uses for.
 */
const forbidden = /[\\/:*?"<>|\u0000-\u001f\p{Cs}]+/gu

/** The names that Windows keeps for devices, whatever stands behind a dot. */
const device = /^(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³])(?:\.|$)/iu

/** Why a name is none that every system takes, in words; undefined for one that is. */
export const faultOfName = (name: string): string | undefined => {
  if (name.search(forbidden) >= 0 || /^\.|\.$/u.test(name))
    return 'no slashes, no control characters, none of : * ? " < > | and no dot at either end'
  if (device.test(name)) return "Windows keeps this name for a device"
  return Buffer.byteLength(name) > mostBytes ? `at most ${mostBytes} bytes of UTF-8` : undefined
}

/** A name in which what is forbidden is an underscore. */
export const withoutForbidden = (name: string): string => name.replaceAll(forbidden, "_")

/** A name that is no device's. */
export const avoidDeviceName = (name: string): string => (device.test(name) ? `_${name}` : name)
