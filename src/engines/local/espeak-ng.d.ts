/** The parts that are used of the package's module, which brings no types of its own. */
declare module "@echogarden/espeak-ng-emscripten" {
  export interface EspeakEvent {
    readonly type: string
    /** Code points from 1 into the text as passed. */
    readonly text_position: number
    /** Milliseconds from the start of this call's audio. */
    readonly audio_position: number
    /** A phoneme's name for "phoneme", a count for "word" and "sentence". */
    readonly id?: string | number
  }

  export interface Espeak {
    list_voices(): ReadonlyArray<{
      readonly name: string
      readonly identifier: string
      readonly languages: ReadonlyArray<{ readonly priority: number; readonly name: string }>
    }>
    /** 0 if it was found; otherwise the voice before stays. */
    set_voice(name: string): number
    /** Words a minute, 80 to 450. */
    set_rate(rate: number): void
    /** 0 to 100, 50 is the voice's own. */
    set_pitch(pitch: number): void
    /** 0 to 100, how far the pitch rises and falls; 50 is the voice's own. */
    set_range(range: number): void
    /** A C string's address: the phonemes' mnemonics of the text's first clause. */
    convert_to_phonemes(text: string, ipa: boolean): { readonly ptr: number }
    /** Hands out mono samples at 22,050 Hz with the events in them; ends when the callback returns true. */
    synthesize(
      text: string,
      callback: (samples: Int16Array, events: ReadonlyArray<EspeakEvent>) => boolean
    ): void
  }

  export interface EspeakModule {
    readonly eSpeakNGWorker: new () => Espeak
    /** The module's whole memory; another view after it has grown. */
    readonly HEAP8: Int8Array
    readonly HEAPU8: Uint8Array
    readonly FS: { readdir(path: string): ReadonlyArray<string> }
  }

  const load: () => Promise<EspeakModule>
  export default load
}
