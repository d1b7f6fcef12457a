/** How long a run waits for the service: for a response of the interface, to a create, and for a whole audio file. */
export const requestTimeouts = {
  answerWithin: "60 seconds",
  createWithin: "4 minutes",
  audioWithin: "10 minutes"
} as const
