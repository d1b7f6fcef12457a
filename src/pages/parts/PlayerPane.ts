/** The player of a job's page: the waveform with its buttons, and the film beside the cues. */
import { type Content, type Html, html } from "./Html.ts"

/** The film of a job. */
export interface PageFilm {
  /** Its address, relative to the page. */
  readonly href: string
  /** Its file's name. */
  readonly name: string
}

/** The media that a page plays. */
export interface PlayerPane {
  /** Name of the audio file next to the page; undefined if there is none that browsers can play. */
  readonly audio: string | undefined
  readonly film: PageFilm | undefined
  /** Extra buttons. */
  readonly buttons: Content
}

/** Renders the player: waveform, buttons and the current cue. */
export const playerPane = ({ audio, film, buttons }: PlayerPane): Html => {
  const silent: Content = audio === undefined && film === undefined ? html`disabled` : undefined
  return html`<section class="player" aria-label="Player">
    <div id="wave"></div>
    <div class="controls">
      <button type="button" id="play" ${silent}>Play</button>
      <button type="button" id="previous" aria-label="Previous cue">◂ Cue</button>
      <button type="button" id="next" aria-label="Next cue">Cue ▸</button>
      <button type="button" id="next-flagged">Next worth a look</button>
      <button type="button" id="loop" aria-pressed="false" ${silent}>Loop</button>
      <label class="roll"
        ><span class="unseen">Seconds before and after a looped cue</span
        ><select id="roll">
          ${rolls.map((seconds) => html`<option value="${seconds}" ${seconds === 0.5 ? html`selected` : undefined}>± ${seconds} s</option>`)}
        </select></label
      >
      ${buttons}
      <output id="time" aria-label="Position">0:00.0</output>
      <label class="zoom"
        ><span class="zoom-name">Zoom</span>
        <input type="range" id="zoom" min="0" max="100" step="1" aria-label="Zoom"
      /></label>
    </div>
    ${
      audio === undefined
        ? html`<p class="aside">
            No audio to play: this job has none yet, or none in a format that browsers play.
          </p>`
        : html`<audio id="audio" preload="metadata" src="${encodeURIComponent(audio)}"></audio>`
    }
    <div class="now" id="now" hidden>
      <p class="now-about" id="now-about"></p>
      <p id="now-source" dir="auto"></p>
      <p id="now-spoken" dir="auto"></p>
    </div>
  </section>`
}

/** Seconds to play before and after a looped cue. */
const rolls = [0, 0.5, 1, 2, 3] as const

/** Renders the film, with the words over its picture and the choice of its sound. */
export const filmPane = (film: PageFilm, hasDub: boolean): Html =>
  html`<section class="film" aria-label="Film">
    <div class="screen">
      <video id="film" preload="metadata" playsinline src="${film.href}" aria-label="${film.name}"></video>
      <p id="caption" dir="auto" aria-hidden="true"></p>
    </div>
    <p id="film-fault" class="error" role="status" hidden>
      Cannot show the film: ${film.name} is missing, or this browser does not support its format.
      <a href="${film.href}">Open the file</a>
    </p>
    <p id="film-silent" class="error" role="status" hidden>
      Cannot play the film's own sound: ${film.name} has none, or this browser does not support its format,
      such as AC-3 or DTS.${hasDub ? " The dub still plays." : undefined}
    </p>
    <div class="film-choices">
      ${hasDub ? soundChoice : undefined}
      <label
        ><span class="caption-name">Text</span>
        <select id="caption-words" aria-label="Text over the picture">
          <option value="spoken">as spoken</option>
          <option value="source">as in the source</option>
          <option value="">off</option>
        </select></label
      >
    </div>
  </section>`

const soundChoice: Html = html`<fieldset class="sounds">
  <legend class="unseen">Sound</legend>
  <label><input type="radio" name="sound" value="dub" checked /> Dub</label>
  <label><input type="radio" name="sound" value="original" /> Original</label>
  <label><input type="radio" name="sound" value="both" /> Both</label>
</fieldset>`
