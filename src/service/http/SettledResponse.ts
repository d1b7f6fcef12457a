/** A response that calls the callback of `end` even if its client has disconnected. */
import { type IncomingMessage, ServerResponse } from "node:http"

/**
 * Node calls the function that is given to `end` only when the response has been sent. If the client disconnects first,
 * this class calls it, so that the fiber that waits for it ends.
 */
export class SettledResponse extends ServerResponse<IncomingMessage> {
  override end(...words: ReadonlyArray<unknown>): this {
    const done = words.at(-1)
    if (isCallback(done)) {
      if (this.destroyed) queueMicrotask(done)
      else this.once("close", done)
    }
    return Reflect.apply(super.end.bind(this), undefined, words)
  }
}

const isCallback = (word: unknown): word is () => void => typeof word === "function"
