/** The mark of synthetic speech: IPTC's term for how a file was made, as metadata holds it. */

/**
 * How a file came about, as a term of IPTC's vocabulary. `speech`: all of it comes from a model (trained algorithmic
 * media). `composite`: synthetic speech together with recordings, such as a film.
 */
export type DigitalSource = "speech" | "composite"

/** The term's address: https://cv.iptc.org/newscodes/digitalsourcetype/ */
export const digitalSourceUri = (source: DigitalSource): string =>
  `http://cv.iptc.org/newscodes/digitalsourcetype/${terms[source]}`

const terms: Readonly<Record<DigitalSource, string>> = {
  speech: "trainedAlgorithmicMedia",
  composite: "compositeSynthetic"
}

/** The name of the tag in containers that allow any name. */
export const digitalSourceTag = "DIGITALSOURCETYPE"

/** The mark for fields of words, such as keywords and comments. */
export const syntheticMark = (source: DigitalSource): string =>
  `synthetic speech, ${digitalSourceUri(source)}`
