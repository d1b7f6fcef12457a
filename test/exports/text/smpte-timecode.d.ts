/** Types of the parts of smpte-timecode in use; the package has none. */
declare module "smpte-timecode" {
  export default class Timecode {
    constructor(value: number | string, frameRate: number, dropFrame?: boolean)
    readonly frameCount: number
    toString(): string
  }
}
