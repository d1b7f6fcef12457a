/** Why an attempt at a task failed: the message for its owner, the detail for the log, and whether a retry may help. */
import type { EngineUnavailable, SpeechFailed } from "../../engines/Engine.ts"
import type { FilesUnwritable } from "../storage/FileStore.ts"

/** The task's voice or model is no longer offered. */
export const notOffered = { _tag: "NotOffered" } as const
/** The attempt took too long. */
export const tooSlow = { _tag: "TooSlow" } as const
/** The message about an internal error that a task's owner sees. */
export const internalFault = { code: "internal", message: "internal error; it has been logged" }

/** Why an attempt at a task failed. */
export type TaskFailure =
  EngineUnavailable | SpeechFailed | FilesUnwritable | typeof notOffered | typeof tooSlow

/** A failure's full detail, for the log. The task's owner need not see it. */
export const detailOf = (failure: TaskFailure): string => {
  switch (failure._tag) {
    case "EngineUnavailable":
    case "SpeechFailed":
    case "FilesUnwritable":
      return failure.detail
    case "NotOffered":
    case "TooSlow":
      return verdictOf(failure).message
  }
}

/** The error code and message for the task's owner, and whether the failure is temporary. */
export const verdictOf = (
  failure: TaskFailure
): { readonly code: string; readonly message: string; readonly passing: boolean } => {
  switch (failure._tag) {
    case "EngineUnavailable":
      return {
        code: "engine_unavailable",
        message: "the speech engine does not respond; create the task again later",
        passing: true
      }
    case "FilesUnwritable":
      return {
        code: failure.full ? "disk_full" : "storage",
        message: failure.full
          ? "the service's disk is full; tell its operator, and create the task again later"
          : "the service could not store the audio; create the task again later",
        passing: !failure.full
      }
    case "NotOffered":
      return {
        code: "not_offered",
        message: "the voice or model is no longer available; choose another",
        passing: false
      }
    case "TooSlow":
      return {
        code: "timeout",
        message: "synthesis took longer than the service allows; split the text",
        passing: false
      }
    case "SpeechFailed":
      switch (failure.reason) {
        // Faults of the request itself keep the engine's words: only the client can fix them.
        case "nothing-to-say":
        case "too-long":
        case "refused":
          return { code: failure.reason.replaceAll("-", "_"), message: failure.detail, passing: false }
        case "unknown-voice":
          return {
            code: "unknown_voice",
            message: "the engine has no such voice; choose another",
            passing: false
          }
        case "quota":
          return {
            code: "insufficient_quota",
            message:
              "the service's account with this provider is exhausted; ask the service's operator to add credits, then create the task again",
            passing: false
          }
        case "timeout":
        case "crashed":
        case "bad-output":
        case "busy":
          return {
            code: `engine_${failure.reason.replaceAll("-", "_")}`,
            message: engineTroubles[failure.reason],
            passing: true
          }
      }
  }
}

/** Engine errors for clients. The engine's own words may name addresses, programs and folders. */
const engineTroubles = {
  timeout: "the speech engine took too long; create the task again later, or split the text",
  crashed: "the speech engine crashed on this text; change the text, or use another voice",
  "bad-output": "the speech engine returned no usable audio; create the task again, or use another voice",
  busy: "the speech engine is busy; create the task again later"
}
