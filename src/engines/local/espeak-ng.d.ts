/** Types of the parts of @echogarden/espeak-ng-emscripten in use; the package has no types. */
declare module "@echogarden/espeak-ng-emscripten" {
  export interface EspeakEvent {
    readonly type: string
    /** Position in the passed text, in code points from 1. */
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
    /** Returns 0 if the voice exists; otherwise the previous voice stays selected. */
    set_voice(name: string): number
    /** Words per minute, 80 to 450. */
    set_rate(rate: number): void
    /** 0 to 100; 50 is the voice's default. */
    set_pitch(pitch: number): void
    /** Pitch range (intonation), 0 to 100; 50 is the voice's default. */
    set_range(range: number): void
    /** Returns the address of a C string: the phoneme mnemonics of the text's first clause. */
    convert_to_phonemes(text: string, ipa: boolean): { readonly ptr: number }
    /** Passes mono samples at 22,050 Hz and their events to the callback; stops when the callback returns true. */
    synthesize(
      text: string,
      callback: (samples: Int16Array, events: ReadonlyArray<EspeakEvent>) => boolean
    ): void
  }

  export interface EspeakModule {
    readonly eSpeakNGWorker: new () => Espeak
    /** The module's whole memory; replaced by a new view when it grows. */
    readonly HEAP8: Int8Array
    readonly HEAPU8: Uint8Array
    readonly FS: { readdir(path: string): ReadonlyArray<string> }
  }

  const load: () => Promise<EspeakModule>
  export default load
}
