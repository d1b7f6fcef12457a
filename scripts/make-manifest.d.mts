/** The manual's page on the manifest, from a JSON Schema. */
export const manifestPage: (schema: unknown) => string
