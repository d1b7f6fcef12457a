/** Repairs mojibake: UTF-8 that was decoded as Windows-1252 and saved as UTF-8 again ("cafÃ©" for "café"). */

/** Returns the repaired text; undefined unless every non-ASCII character is mojibake. */
export const repairMojibake = (text: string): string | undefined => {
  const bytes = new Uint8Array(text.length)
  let high = false
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    const byte = code < 256 ? code : windows1252.get(code)
    if (byte === undefined) return undefined
    high ||= byte > 127
    bytes[i] = byte
  }
  if (!high) return undefined
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes)
  } catch {
    return undefined
  }
}

/** Bytes of the characters that Windows-1252 has in place of the C1 controls. */
const windows1252 = new Map(
  Array.from("€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ", (character) => character.charCodeAt(0)).map((code, i) => [
    code,
    [
      0x80, 0x82, 0x83, 0x84, 0x85, 0x86, 0x87, 0x88, 0x89, 0x8a, 0x8b, 0x8c, 0x8e, 0x91, 0x92, 0x93, 0x94,
      0x95, 0x96, 0x97, 0x98, 0x99, 0x9a, 0x9b, 0x9c, 0x9e, 0x9f
    ][i]
  ])
)
