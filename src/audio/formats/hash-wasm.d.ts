/** The part of hash-wasm with MD5 only: its whole is twenty times as large, and bundlers cannot split it. */
declare module "hash-wasm/dist/md5.umd.min.js" {
  import type { createMD5 } from "hash-wasm"
  const hashes: { readonly createMD5: typeof createMD5 }
  export default hashes
}
