/**
 * The program of a small process that starts ffmpeg for a large one. It listens on the socket of its first argument.
 * Each connection is one program: a line with its file and arguments, then its standard input. The response is a line
 * with its process id, its stderr, and after a NUL how it ended. Programs whose connection closes are killed.
 */
import { spawn } from "node:child_process"
import { createServer, type Socket } from "node:net"
import { giveWay } from "../../system/BackgroundPriority.ts"
import type { HostedEnd, HostedStart } from "./ProcessHost.ts"

/** Calls back with the first line, and the bytes after it. */
const readLine = (socket: Socket, onLine: (line: string, rest: Buffer) => void): void => {
  let received = Buffer.alloc(0)
  const onData = (chunk: Buffer): void => {
    received = Buffer.concat([received, chunk])
    const end = received.indexOf("\n")
    if (end < 0) return
    socket.off("data", onData).pause()
    onLine(received.toString("utf8", 0, end), received.subarray(end + 1))
  }
  socket.on("data", onData)
}

const start = (socket: Socket, { file, args }: HostedStart, first: Buffer): void => {
  const child = spawn(file, args, { stdio: ["pipe", "ignore", "pipe"] })
  const end = (ended: HostedEnd): unknown => socket.end(`\0${JSON.stringify(ended)}`)
  child.once("error", ({ message }) => {
    if (child.pid === undefined) end({ exitCode: null, signal: null, startFailure: message })
  })
  child.once("close", (exitCode, signal) => {
    if (child.pid !== undefined) end({ exitCode, signal })
  })
  socket.once("close", () => child.kill("SIGKILL"))
  // A program that exits early closes its input.
  child.stdin.on("error", () => undefined).write(first)
  socket.pipe(child.stdin)
  if (child.pid !== undefined) socket.write(`${child.pid}\n`)
  child.stderr.pipe(socket, { end: false })
}

// Its programs inherit it.
giveWay()

createServer({ allowHalfOpen: true }, (socket) => {
  socket.on("error", () => socket.destroy())
  readLine(socket, (line, rest) => {
    // ProcessHost, which sends it, is part of the same build, so it is not checked.
    const asked: HostedStart = JSON.parse(line)
    start(socket, asked, rest)
  })
}).listen(process.argv[2], () => process.send?.("listening"))

process.once("disconnect", () => process.exit())
