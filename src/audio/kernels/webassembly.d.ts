/** The parts of WebAssembly in use; TypeScript declares them for browsers only. */
declare namespace WebAssembly {
  class Module {
    constructor(bytes: Uint8Array)
  }
  class Memory {
    readonly buffer: ArrayBuffer
    /** Adds pages of 65,536 bytes; arrays in the old buffer become empty. */
    grow(pages: number): number
  }
  /** A running module. `Exports` defaults to the exports that every WASI command has. */
  class Instance<Exports = { readonly memory: Memory; readonly _start: () => unknown }> {
    constructor(module: Module, imports: Record<string, Record<string, unknown>>)
    readonly exports: Exports
  }
}
