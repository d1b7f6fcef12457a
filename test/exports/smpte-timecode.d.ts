/** What the tests use of smpte-timecode, which comes without types. */
declare module "smpte-timecode" {
  export default class Timecode {
    constructor(value: number | string, frameRate: number, dropFrame?: boolean)
    readonly frameCount: number
    toString(): string
  }
}
