import { Either } from "effect"
import { describe, expect, test } from "vitest"
import { readManifest } from "../../../src/pipeline/load/ManifestFile.ts"

const refusals = (text: string): ReadonlyArray<string> =>
  Either.match(readManifest(text, "m.yaml"), {
    onLeft: (error) => error.message.split("\n"),
    onRight: () => []
  })

const unread = (line: number, words: string): string => `m.yaml:${line}: invalid YAML or JSON: ${words}`

describe("a fault of a manifest names the file, line, path, value found and value expected", () => {
  test.each([
    [
      "a misspelt key",
      "jobs:\n  - input: a.srt\n    voise: x\n",
      ["m.yaml:3: jobs[0].voise: unknown key; did you mean voice?"]
    ],
    ["no jobs", "jobs: []\n", ["m.yaml:1: jobs: expected at least one"]],
    ["jobs left out", "name: x\n", ['m.yaml:1: the key "jobs" is missing']],
    [
      "an id that climbs out of the output folder",
      "jobs:\n  - id: ../x\n    input: a",
      [
        'm.yaml:2: jobs[0].id: the job id "../x" cannot be a file name: it must not contain slashes, control characters or any of : * ? " < > |, nor start or end with a dot'
      ]
    ],
    [
      "a number out of its range",
      "jobs:\n  - input: a\n    fit: { maxSpeed: 9 }\n",
      ["m.yaml:3: jobs[0].fit.maxSpeed: expected a number from 1 to 3, found 9"]
    ],
    [
      "a word that is not one of the choices",
      "jobs:\n  - input: a\n    onFailure: silense\n",
      ['m.yaml:3: jobs[0].onFailure: expected one of fail, silence, found "silense"; did you mean silence?']
    ],
    [
      "a misspelt service",
      "service: embeded\njobs: [{ input: a }]",
      [
        'm.yaml:1: service: expected embedded, or keys with their values (baseUrl, dialect, body, undecided), found "embeded"; did you mean embedded?'
      ]
    ],
    [
      "a misspelt choice for lost creates",
      "service: { baseUrl: 'http://127.0.0.1:9', undecided: agian }\njobs: [{ input: a }]",
      [
        'm.yaml:1: service.undecided: expected one of match, report, again, found "agian"; did you mean again?'
      ]
    ],
    [
      "a value of another type",
      "jobs:\n - input: a\n   speakers: { A: { voice: 3 } }",
      ['m.yaml:3: jobs[0].speakers.A.voice: expected a text, found 3; put it in quotes: "3"']
    ],
    [
      "not a mapping",
      "just words",
      ["m.yaml:1: expected a manifest: a mapping with a list named jobs (dubwright init writes an example)"]
    ],
    [
      "an empty file",
      "",
      ["m.yaml:1: expected a manifest: a mapping with a list named jobs (dubwright init writes an example)"]
    ],
    [
      "a key with terminal control characters",
      'jobs:\n  - input: a\n    "voice\\e[31m\\n": b\n',
      ["m.yaml:3: jobs[0].voice\ufffd[31m\ufffd: unknown key"]
    ],
    [
      "a key given twice",
      "jobs: [{ input: a }]\njobs: [{ input: b }]\n",
      ["m.yaml:2: invalid YAML or JSON: the key jobs is given twice"]
    ],
    [
      "one value where a list belongs",
      "jobs:\n  - input: a\n    outputs: wav, srt\n",
      ['m.yaml:3: jobs[0].outputs: expected a list, found "wav, srt"; write [wav, srt]']
    ],
    ["a number where a list belongs", "jobs: 5\n", ["m.yaml:1: jobs: expected a list, found 5"]],
    [
      "keys where a list belongs",
      "jobs:\n  ep01: { input: a }\n",
      ['m.yaml:2: jobs: expected a list, found {"ep01":{"input":"a"}}; start each entry with a dash']
    ],
    [
      "a value where a mapping with many possible keys belongs",
      "jobs:\n  - a.srt\n",
      ['m.yaml:2: jobs[0]: expected keys with their values, found "a.srt"']
    ],
    [
      "a value where a mapping with few possible keys belongs",
      "jobs: [{ input: a, speakers: { ANNA: en-anna } }]\n",
      [
        'm.yaml:1: jobs[0].speakers.ANNA: expected keys with their values (voice, provider, model, speed, vol, pitch, pan), found "en-anna"'
      ]
    ],
    [
      "a key that belongs elsewhere",
      "voice: x\njobs:\n  - input: a\n    maxSpeed: 1.2\ndefaults: { id: b }\n",
      [
        "m.yaml:1: voice: unknown key here; did you mean defaults.voice?",
        "m.yaml:4: jobs[0].maxSpeed: unknown key here; did you mean fit.maxSpeed?",
        "m.yaml:5: defaults.id: unknown key here; did you mean jobs[].id?"
      ]
    ],
    [
      "the service's API key, whose value is not shown",
      "service: { baseUrl: https://tts.example, apiKey: s3cret }\njobs: [{ input: a }]",
      ["m.yaml:1: service.apiKey: unknown key; the service's key is read only from DUBWRIGHT_API_KEY"]
    ],
    [
      "a key of an earlier version",
      "jobs:\n  - input: a\n    audio:\n      checksum: false\n",
      [
        "m.yaml:4: jobs[0].audio.checksum: unknown key; remove it: FLAC files always have the MD5 of their samples"
      ]
    ],
    [
      "a key without a value",
      "name:\njobs: [{ input: a }]",
      ["m.yaml:1: name: expected a text, found nothing"]
    ],
    [
      "a number where a string belongs, quoted as written",
      "jobs: [{ input: a, id: 007 }]",
      ['m.yaml:1: jobs[0].id: expected a text of at most 120 characters, found 7; put it in quotes: "007"']
    ],
    [
      "strings that are empty or surrounded by spaces",
      "name: ''\njobs: [{ input: ' a ' }]",
      [
        'm.yaml:1: name: expected a text that is not empty, found ""',
        'm.yaml:2: jobs[0].input: expected a text without spaces around it, found " a "'
      ]
    ],
    [
      "a number that is not one of the choices",
      "jobs: [{ input: a, audio: { depth: 20 } }]",
      ["m.yaml:1: jobs[0].audio.depth: expected one of 16, 24, 32, found 20"]
    ],
    [
      "a decimal written with a comma",
      "jobs: [{ input: a, fit: { maxSpeed: 1,3 } }]",
      ["m.yaml:1: jobs[0].fit.3: unknown key (write decimals with a point: 1.3)"]
    ],
    [
      "an invalid language",
      "jobs: [{ input: a, language: english! }]",
      [
        'm.yaml:1: jobs[0].language: expected a language such as en, vi, pt-BR or French, found "english!"; did you mean English (en)?'
      ]
    ],
    ["tabs", "jobs:\n  - input: a\n\tvoice: b\n", [unread(3, "indented with a tab; use spaces")]],
    [
      "a key indented less than its siblings",
      "jobs:\n  - input: a\n   voice: b\n",
      [unread(3, "wrong indentation; keys of one level must start in the same column")]
    ],
    [
      "a key indented more than its siblings",
      "jobs:\n  - input: a\n     voice: b\n",
      [
        unread(
          2,
          "a second colon in one entry; put text that contains a colon and a space in quotes, and align keys of one level"
        )
      ]
    ],
    [
      "a key without a colon",
      "jobs\n  - input: a\n",
      [unread(1, "a key without a colon, or a line with the wrong indentation")]
    ],
    [
      "a glob without quotes",
      "jobs:\n  - input: *.srt\n",
      [unread(2, '*.srt is an unknown alias; put text that begins with * in quotes: "*.srt"')]
    ],
    [
      "a character that cannot start a plain string",
      "name: @x\njobs: []\n",
      [unread(1, "put text that begins with @ in quotes")]
    ],
    [
      "a backslash in double quotes",
      'jobs:\n  - input: "C:\\Users\\a.srt"\n',
      [unread(2, "\\U is not valid in double quotes; use single quotes, or / in a path")]
    ],
    [
      "an unclosed quote, at its start",
      "jobs:\n  - input: 'a\n    voice: b\n",
      [unread(2, "the quote that begins here is never closed; add the closing quote")]
    ],
    ["an unclosed list", "jobs: [{ input: a }\nname: x\n", [unread(2, "[ is opened but ] is missing")]],
    [
      "two documents",
      "jobs: [{ input: a }]\n---\njobs: [{ input: b }]\n",
      [unread(2, "a second document begins here; expected one")]
    ],
    [
      "a word that is neither true nor false",
      "jobs: [{ input: a, verify: yes }]",
      ['m.yaml:1: jobs[0].verify: expected true or false, found "yes"']
    ],
    [
      "a URL that is neither http nor https",
      "service: { baseUrl: ftp://tts.example }\njobs: [{ input: a }]",
      [
        'm.yaml:1: service.baseUrl: expected an http or https URL such as https://tts.example, found "ftp://tts.example"'
      ]
    ]
  ])("%s", (_, text, expected) => {
    expect(refusals(text)).toEqual(expected)
  })

  test("every fault is reported, not only the first", () => {
    expect(refusals("jobs:\n  - input: a\n    onfailure: fail\n  - inptu: b\n")).toHaveLength(3)
  })
})

test("supports YAML merge keys", () => {
  const text = "defaults: &night { voice: x, unit: sentence }\njobs: [{ <<: *night, input: a, voice: y }]"
  expect(Either.getOrThrow(readManifest(text, "m.yaml")).jobs[0]).toEqual({
    input: "a",
    voice: "y",
    unit: "sentence"
  })
})

test("reads JSON as YAML", () => {
  const manifest = {
    name: "n",
    service: { baseUrl: "http://127.0.0.1:1" },
    jobs: [{ input: "a.srt", outputs: ["wav"] }]
  }
  expect(readManifest(JSON.stringify(manifest, undefined, 2), "m.json")).toEqual(Either.right(manifest))
})

test("accepts a frame rate as a number or a string", () => {
  const rates = ["25", "29.97", "'25'", "29.97df"].map(
    (rate) =>
      Either.getOrThrow(readManifest(`jobs: [{ input: a, timeline: { frameRate: ${rate} } }]`, "m.yaml"))
        .jobs[0].timeline?.frameRate
  )
  expect(rates).toEqual([25, 29.97, "25", "29.97df"])
})
