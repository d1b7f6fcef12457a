/**
 * Decides from which addresses a task's audio may be read. The service names the address, so a hostile service could
 * name a server that only this machine, or its network, can reach. Such an address is refused unless the service itself
 * is there.
 */
import { isIP } from "node:net"
import { Effect } from "effect"
import {
  guardedLookup,
  hostOf,
  type NetworkPlace,
  networkPlaceOf,
  placeRefused,
  placesOf,
  systemNames
} from "../../system/NetworkPlace.ts"
import { InvalidResponse, NoAudio, Unreachable } from "../GatewayErrors.ts"
import type { ServiceAddress } from "./ServiceAddress.ts"
import { isOwn, presentable } from "./ServiceAddress.ts"
import { type HttpAnswer, type HttpSender, HttpTransport, type SentRequest } from "./HttpTransport.ts"

/** Where a service must be for its audio to be in each place. A service on this machine may use its network. */
const required: Readonly<Record<NetworkPlace, ReadonlyArray<NetworkPlace>>> = {
  public: [],
  private: ["private", "loopback"],
  loopback: ["loopback"],
  "link-local": ["link-local"]
}

/** Returns whether a service at `service` may have its audio at `audio`. */
export const mayHaveAudioAt = (service: ReadonlySet<NetworkPlace>, audio: NetworkPlace): boolean =>
  required[audio].length === 0 || required[audio].some((place) => service.has(place))

/**
 * Makes the sender of audio requests. The service's own origin is always allowed. Other connections are made only to
 * addresses that were checked, also those to other ports of the service's host: its owner can give the name another
 * address, such as one on this machine.
 */
export const audioPlaces = Effect.fnUntraced(function* (address: ServiceAddress["Type"]) {
  const transport = yield* HttpTransport
  const { baseUrl, key, resolve = systemNames } = address
  const refused = (host: string) =>
    new NoAudio({
      reason: "address",
      words: `its URL names ${presentable(host, key)}, a private address outside the service's network; correct the service's public URL`
    })
  /** Looks up where the service is, until a lookup succeeds. The first result is kept: names can change addresses. */
  let known: { readonly places: ReadonlySet<NetworkPlace>; readonly elsewhere: HttpSender } | undefined
  const service = Effect.suspend(() =>
    known === undefined
      ? Effect.map(
          Effect.tryPromise({
            try: () => placesOf(hostOf(baseUrl), resolve),
            catch: (error) =>
              new Unreachable({ words: error instanceof Error ? error.message : String(error) })
          }),
          (places) =>
            (known ??= {
              places,
              elsewhere: transport.guarded(
                guardedLookup(resolve, (ip) => mayHaveAudioAt(places, networkPlaceOf(ip)))
              )
            })
        )
      : Effect.succeed(known)
  )

  const send = <E extends Error>(
    url: URL,
    request: SentRequest<E>
  ): Effect.Effect<HttpAnswer, Unreachable | InvalidResponse | NoAudio | E> => {
    if (isOwn(baseUrl, url)) return transport.send(request)
    return Effect.flatMap(service, ({ places, elsewhere }) => {
      const host = hostOf(url)
      if (isIP(host) !== 0 && !mayHaveAudioAt(places, networkPlaceOf(host))) return refused(host)
      return Effect.catchIf(
        elsewhere.send(request),
        (fault) => fault instanceof InvalidResponse && fault.code === placeRefused,
        () => refused(host)
      )
    })
  }
  return { send }
})
