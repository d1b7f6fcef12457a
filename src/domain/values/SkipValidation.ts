/**
 * For values made by the ten thousand from parts that are checked already: a schema class checks its whole make-up
 * anew each time it is made, which takes longer than all the rest of reading and planning.
 */
export const skipValidation = { disableValidation: true } as const
