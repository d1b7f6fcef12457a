/** Opens what a fleet shares, by the value of `--share`: a folder, or a place in S3. */
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { Context, Effect, Layer, type Scope } from "effect"
import type { FleetUnusable } from "../../fleet/shared/FleetErrors.ts"
import { clipsOf, folderShare } from "../../fleet/shared/FolderShare.ts"
import { s3Share, type ShareCache } from "../../fleet/shared/S3Share.ts"
import { Share } from "../../fleet/shared/Share.ts"
import { checksumOf } from "../../store/files/Checksum.ts"
import type { SharedClips } from "../../store/state/StateFolder.ts"
import { isS3Address } from "../../system/s3/S3Address.ts"
import { cacheFolder, homeFolder } from "../../system/UserFolders.ts"

/** A share and this machine's folder of its clips. */
export interface NamedShare {
  readonly clips: SharedClips
  /** A shared folder is created only when this is built. */
  readonly layer: Layer.Layer<Share, FleetUnusable>
}

const gigabyte = 1_000_000_000

/** Opens a share. `cache` and `gigabytes` are the place and the size of the copies of what is in S3. */
export const openShare = (
  address: string,
  machine: "coordinator" | "worker",
  cache?: string,
  gigabytes = 20
): Effect.Effect<NamedShare, FleetUnusable, Scope.Scope> => {
  if (!isS3Address(address)) {
    const folder = resolve(address)
    return Effect.succeed({ clips: clipsOf(folder), layer: folderShare(folder) })
  }
  const copies: ShareCache = {
    folder: resolve(cache ?? defaultCache(address)),
    limit: gigabytes * gigabyte
  }
  return Effect.map(Layer.build(s3Share(address, copies, machine)), (context) => ({
    clips: Context.get(context, Share).clips,
    layer: Layer.succeedContext(context)
  }))
}

const defaultCache = (address: string): string =>
  join(
    cacheFolder(process.platform, process.env, homeFolder() ?? tmpdir()),
    "share",
    checksumOf(address).slice(0, 16)
  )
