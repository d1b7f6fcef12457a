/** Reads the responses of S3 and of servers with its interface. */
import type { Dispatcher } from "@effect/platform-node/Undici"
import { Data, Effect } from "effect"

/** A request failed. `status` is that of the response, or 0 if there was none. */
export class S3Failed extends Data.TaggedError("S3Failed")<{
  readonly status: number
  readonly detail: string
}> {
  override get message() {
    return this.detail
  }
}

/** An object as listed. */
export interface ListedObject {
  readonly name: string
  readonly bytes: number
  /** Differs for each content. */
  readonly tag: string
}

/** Maximum bytes of an error. */
const maxText = 4_000_000

/** Reads a list of objects: https://docs.aws.amazon.com/AmazonS3/latest/API/API_ListObjectsV2.html */
export const objectsIn = (xml: string): ReadonlyArray<ListedObject> =>
  [...xml.matchAll(/<Contents>(.*?)<\/Contents>/gsu)].map(([, content = ""]) => {
    const of = (field: string) => unescapeXml(new RegExp(`<${field}>([^<]*)</`, "u").exec(content)?.[1] ?? "")
    return { name: of("Key"), bytes: Number(of("Size")), tag: of("ETag") }
  })

/** Reads a response as text. */
export const readText = ({ body }: Dispatcher.ResponseData) =>
  Effect.tryPromise({
    try: () => body.text(),
    catch: () => new S3Failed({ status: 0, detail: "its response broke off" })
  })

/** Reads an error response: https://docs.aws.amazon.com/AmazonS3/latest/API/ErrorResponses.html */
export const refusalOf = async ({
  statusCode,
  body,
  headers
}: Dispatcher.ResponseData): Promise<S3Failed> => {
  const isShort = Number(headers["content-length"] ?? 0) <= maxText
  const xml = isShort ? await body.text().catch(() => "") : ""
  if (!isShort) body.on("error", () => undefined).destroy()
  return failureIn(statusCode, xml)
}

/** Reads the body of an error response. */
export const failureIn = (status: number, xml: string): S3Failed => {
  const of = (name: string) => unescapeXml(new RegExp(`<${name}>([^<]{1,300})<`, "u").exec(xml)?.[1])
  const words = [of("Code"), of("Message")].filter((each) => each !== undefined).join(": ")
  return new S3Failed({ status, detail: `HTTP ${status}${words === "" ? "" : `, ${words}`}` })
}

const entities: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" }

/** Decodes the entities of XML text. */
export function unescapeXml(text: string): string
export function unescapeXml(text: string | undefined): string | undefined
export function unescapeXml(text: string | undefined): string | undefined {
  return text?.replace(/&(amp|lt|gt|quot|apos);/gu, (whole, name: string) => entities[name] ?? whole)
}
