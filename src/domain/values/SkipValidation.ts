/**
 * Option to skip schema validation, for values built in tens of thousands from validated parts. Validating them again
 * would take longer than the rest of reading and planning.
 */
export const skipValidation = { disableValidation: true } as const
