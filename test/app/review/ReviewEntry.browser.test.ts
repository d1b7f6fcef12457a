/** Who can open a review: the real command, two browsers with their histories, another site and another server. */
import { createServer } from "node:http"
import { join } from "node:path"
import { writeFileSync } from "node:fs"
import Database from "better-sqlite3"
import type { Browser, BrowserContext, Page } from "playwright-core"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { chromiumNeeded, noChromium, startChromium, startChromiumIn } from "../../pages/chromium.ts"
import { runHere } from "../cli/inProcess.ts"
import { emptyFolder, type Running, start } from "../process.ts"

/** Serves a page on loopback under a host name, and records what it receives. */
const serve = async (host: string, page: string) => {
  const received: Array<string> = []
  const server = createServer(({ url, headers }, response) => {
    received.push(`${url} ${JSON.stringify(headers)}`)
    response.writeHead(200, { "content-type": "text/html" }).end(page)
  })
  await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready))
  const bound = server.address()
  return {
    received,
    url: `http://${host}:${typeof bound === "object" ? bound?.port : ""}`,
    close: () => server.close()
  }
}

describe.skipIf(noChromium)(`a review's address (${chromiumNeeded})`, () => {
  const cwd = emptyFolder()
  const profile = emptyFolder()
  const printed: Array<string> = []
  let server: Running
  let first: BrowserContext
  let other: Browser
  let page: Page

  beforeAll(async () => {
    writeFileSync(join(cwd, "film.srt"), "1\n00:00:01,000 --> 00:00:03,000\nThe tide turns.\n")
    writeFileSync(
      join(cwd, "batch.yaml"),
      "service: embedded\ndefaults: { provider: provider_native, voice: en-anna }\njobs: [{ id: film, input: film.srt }]\n"
    )
    expect((await runHere(["run", "batch.yaml"], { cwd })).code).toBe(0)
    server = start(["review", "batch.yaml"], { cwd })
    server.child.stdout?.on("data", (text: string) =>
      printed.push(...text.split("\n").flatMap((line) => line.match(/^review (.*)$/u)?.[1] ?? []))
    )
    first = await startChromiumIn(profile)
    other = await startChromium()
    page = await first.newPage()
    await server.firstLine
    await page.goto(printed[0] ?? "")
  })

  afterAll(async () => {
    await first?.close()
    await other?.close()
    server?.child.kill("SIGTERM")
    await server?.ended
  })

  const home = () => new URL(".", page.url()).href
  const bodyOf = (one: Page) => one.locator("body").textContent()

  it("opens the batch without the token in the URL or the Referer, also if it is opened or loaded again", async () => {
    expect(page.url()).toBe(new URL("index.html", printed[0]).href)
    expect(await page.evaluate("document.referrer")).toBe("")
    await page.reload()
    expect(await bodyOf(page)).toContain("1 job delivered")
    await page.goto(printed[0] ?? "")
    expect(await bodyOf(page)).toContain("1 job delivered")
    const second = await first.newPage()
    await second.goto(`${home()}film/report.html`)
    expect(await bodyOf(second)).toContain("The tide turns.")
    expect(printed.length).toBe(1)
  })

  it("does not open it in another browser, for which the command prints a new one", async () => {
    const stranger = await other.newPage()
    for (let times = 0; times < 2; times++) {
      expect((await stranger.goto(printed[0] ?? ""))?.status()).toBe(403)
      expect(await bodyOf(stranger)).toContain("open the last address that dubwright review printed")
    }
    await expect.poll(() => printed.length).toBe(2)
    await stranger.goto(printed[1] ?? "")
    expect(await bodyOf(stranger)).toContain("1 job delivered")
  })

  it("opens from a link of another site, which gets nothing", async () => {
    const linked = await first.newPage()
    const site = await serve("localhost", `<a href="${home()}film/report.html#cue-1">film</a>`)
    await linked.goto(site.url)
    await linked.locator("a").click()
    await linked.locator("#cue-1").waitFor()
    expect(site.received.join("\n")).not.toContain("dubwright-review=")
    site.close()
  })

  it("is for its port only: another server on this machine does not get the cookie", async () => {
    const elsewhere = await serve("127.0.0.1", "")
    const visiting = await first.newPage()
    await visiting.goto(`${elsewhere.url}/film/report.html`)
    expect(elsewhere.received.join("\n")).toContain("/film/report.html")
    expect(elsewhere.received.join("\n")).not.toContain("dubwright-review=")
    elsewhere.close()
  })

  it("is of no use to a reader of the browser's history", async () => {
    await first.close()
    const history = new Database(join(profile, "Default/History"), { readonly: true })
    const urls = history.prepare<[], { url: string }>("SELECT url FROM urls").all()
    history.close()
    const ours = urls.filter(({ url }) => url.startsWith(new URL(printed[0] ?? "").origin))
    expect(ours.length).toBeGreaterThan(2)
    for (const { url } of ours) expect((await fetch(url, { redirect: "manual" })).status, url).toBe(403)
  })
})
