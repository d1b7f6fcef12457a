/** The parts of WebAssembly that are used: TypeScript declares them for browsers only. */
declare namespace WebAssembly {
  class Module {
    constructor(bytes: Uint8Array)
  }
  class Memory {
    readonly buffer: ArrayBuffer
  }
  /** A program that is run, unless said otherwise: what every WASI command exports. */
  class Instance<Exports = { readonly memory: Memory; readonly _start: () => unknown }> {
    constructor(module: Module, imports: Record<string, Record<string, unknown>>)
    readonly exports: Exports
  }
}
