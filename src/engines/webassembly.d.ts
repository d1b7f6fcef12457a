/** The parts of WebAssembly that are used: TypeScript declares them for browsers only. */
declare namespace WebAssembly {
  class Module {
    constructor(bytes: Uint8Array)
  }
  class Memory {
    readonly buffer: ArrayBuffer
  }
  class Instance {
    constructor(module: Module, imports: Record<string, Record<string, unknown>>)
    /** What every WASI command exports. */
    readonly exports: { readonly memory: Memory; readonly _start: () => unknown }
  }
}
