/** A bill of materials, as far as it is read and changed here. */
interface Bill {
  readonly metadata: { readonly component: { readonly "bom-ref": string } }
  readonly components: ReadonlyArray<{ readonly "bom-ref": string; readonly scope: string }>
  readonly dependencies: ReadonlyArray<{ readonly ref: string; readonly dependsOn: ReadonlyArray<string> }>
}

/** A lock file, as far as it is read here. */
interface Lock {
  readonly packages: Readonly<
    Record<
      string,
      { readonly name?: string; readonly version?: string; readonly dev?: boolean; readonly peer?: boolean }
    >
  >
}

/** A bill with only the components that npm installs or that are bundled: `name@version` each. */
export const shippedOnly: (all: Bill, installed: ReadonlySet<string>, bundled: ReadonlySet<string>) => Bill

/** The bundled packages, from the build's list of licences. */
export const bundledIn: (licences: string) => ReadonlySet<string>

/** The packages that npm installs with this one, on any platform. */
export const installedIn: (lock: Lock) => ReadonlySet<string>
