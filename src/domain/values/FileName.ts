/**
 * Portable names of files and folders: valid on every operating system, because results made on one are opened on
 * another.
 */

/**
 * Maximum length in UTF-8 bytes. File systems allow 255, and results add an extension and a marker for partial files.
 */
export const maxBytes = 220

/**
 * Characters that are not portable: slashes, control characters, unpaired surrogates, and characters reserved by
 * Windows.
 */
const forbidden = /[\\/:*?"<>|\u0000-\u001f\p{Cs}]+/gu

/** Names that Windows reserves for devices, with any extension. */
const device = /^(?:con|prn|aux|nul|conin\$|conout\$|com[0-9¹²³]|lpt[0-9¹²³])[ ]*(?:\.|$)/iu

/** Returns why a name is not portable, as a sentence; undefined if it is. */
export const faultOfName = (name: string): string | undefined => {
  if (name.search(forbidden) >= 0 || /^\.|\.$/u.test(name))
    return 'it must not contain slashes, control characters or any of : * ? " < > |, nor start or end with a dot'
  if (device.test(name)) return "Windows reserves this name for a device"
  return Buffer.byteLength(name) > maxBytes ? `it must be at most ${maxBytes} bytes of UTF-8` : undefined
}

/** Replaces each run of forbidden characters with an underscore. */
export const withoutForbidden = (name: string): string => name.replaceAll(forbidden, "_")

/** Prefixes a Windows device name with an underscore. */
export const avoidDeviceName = (name: string): string => (device.test(name) ? `_${name}` : name)
