/** Finds the encoding that an XML file declares, if its bytes are not UTF-8. */
import { isUtf8 } from "./Utf8.ts"

const declaration = /^\s*<\?xml[^>]*?encoding\s*=\s*["']([A-Za-z][\w.:-]{0,30})["']/u

/** Returns the encoding in an XML declaration; undefined if the bytes are UTF-8 or the file declares none. */
export const declaredEncoding = (bytes: Uint8Array): string | undefined => {
  const [first, second] = bytes
  if (first === undefined || second === undefined || first > 127 || first === 0 || second === 0)
    return undefined
  const head = Buffer.from(bytes.subarray(0, 200)).toString("latin1")
  const named = declaration.exec(head)?.[1]
  // A UTF-8 or UTF-16 declaration is wrong here: the bytes are neither. The caller then detects the encoding.
  return named === undefined || /^utf/iu.test(named) || isUtf8(bytes) ? undefined : named
}
