/** A worker thread's own side. Imports nothing, so that threads start quickly. */
import { parentPort, type Transferable } from "node:worker_threads"

/** A request as posted; its response repeats the id. */
export interface RequestMessage<Request> {
  readonly id: number
  readonly request: Request
}

export interface ResponseMessage<Response> {
  readonly id: number
  readonly response: Response
}

/**
 * Responds to the requests of a `WorkerThread`; several may be pending at once. `moved` returns a response's buffers,
 * to transfer instead of copy. An error of `respond` ends the thread.
 */
export const serveRequests = <Request, Response>(
  respond: (request: Request) => Promise<Response>,
  moved: (response: Response) => ReadonlyArray<Transferable> = () => []
): void => {
  const port = parentPort
  if (port === null) throw new Error("this file is a worker thread; dubwright starts it")
  const answer = async ({ id, request }: RequestMessage<Request>): Promise<void> => {
    const response = await respond(request)
    port.postMessage({ id, response } satisfies ResponseMessage<Response>, moved(response))
  }
  port.on("message", (message: RequestMessage<Request>) => void answer(message))
}
