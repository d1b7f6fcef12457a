/** How long a run waits for the service: for a response of the interface, and for a whole audio file. */
export const requestTimeouts = { answerWithin: "60 seconds", audioWithin: "10 minutes" } as const
