/** Classifies connection failures by whether the request can have reached the service. */
import { InvalidResponse, Unreachable } from "../GatewayErrors.ts"

/** Failures to connect: unknown host, no listener, no route, untrusted certificate. Some also end a connection. */
const neverSent =
  /^(ECONNREFUSED|ENOTFOUND|EAI_|EHOSTUNREACH|ENETUNREACH|EHOSTDOWN|UND_ERR_CONNECT_TIMEOUT|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO|ERR_TLS|ERR_SSL)/u

/**
 * Maps a connection failure: Unreachable if nothing was sent, else InvalidResponse. `wasStarted` is whether the request
 * was being written to its connection.
 */
export const mapTransportError = (
  cause: unknown,
  description: string | undefined,
  wasStarted = false
): Unreachable | InvalidResponse => {
  const codes: Array<string> = []
  let words = description ?? ""
  for (let error = cause; error instanceof Error; error = error.cause) {
    if ("code" in error && typeof error.code === "string") codes.push(error.code)
    if (words === "") words = error.message === "" ? (codes[0] ?? error.name) : error.message
  }
  if (words === "") words = "the connection failed"
  const unsent = wasStarted ? undefined : codes.find((code) => neverSent.test(code))
  if (unsent !== undefined) return new Unreachable({ words, code: unsent })
  return new InvalidResponse({ words, ...(codes[0] === undefined ? {} : { code: codes[0] }) })
}
