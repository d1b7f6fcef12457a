import { Either } from "effect"
import { describe, expect, test } from "vitest"
import { readManifest } from "../../../src/pipeline/load/ManifestFile.ts"

const refusals = (text: string): ReadonlyArray<string> =>
  Either.match(readManifest(text, "m.yaml"), {
    onLeft: (error) => error.message.split("\n"),
    onRight: () => []
  })

const unread = (line: number, words: string): string =>
  `m.yaml:${line}: not readable as YAML or JSON: ${words}`

describe("a manifest that cannot be used names file, line, path, what was found and what was expected", () => {
  test.each([
    [
      "a key with a typing error",
      "jobs:\n  - input: a.srt\n    voise: x\n",
      ["m.yaml:3: jobs[0].voise: unknown key; did you mean voice?"]
    ],
    ["no jobs", "jobs: []\n", ["m.yaml:1: jobs: expected at least one"]],
    ["jobs left out", "name: x\n", ['m.yaml:1: the key "jobs" is missing']],
    [
      "an id that climbs out of the output folder",
      "jobs:\n  - id: ../x\n    input: a",
      [
        "m.yaml:2: jobs[0].id: a job's id names its files: no slashes, no control characters, none of : * ? \" < > | and no dot at either end"
      ]
    ],
    [
      "a number out of its range",
      "jobs:\n  - input: a\n    fit: { maxSpeed: 9 }\n",
      ["m.yaml:3: jobs[0].fit.maxSpeed: expected a number from 1 to 3, found 9"]
    ],
    [
      "a word that is none of the choices",
      "jobs:\n  - input: a\n    onFailure: silense\n",
      ['m.yaml:3: jobs[0].onFailure: expected one of fail, silence, found "silense"; did you mean silence?']
    ],
    [
      "a service that is neither",
      "service: embeded\njobs: [{ input: a }]",
      [
        'm.yaml:1: service: expected embedded, or keys with their values (baseUrl, undecided), found "embeded"; did you mean embedded?'
      ]
    ],
    [
      "a choice about lost creates that is none",
      "service: { baseUrl: 'http://127.0.0.1:9', undecided: agian }\njobs: [{ input: a }]",
      [
        'm.yaml:1: service.undecided: expected one of match, report, again, found "agian"; did you mean again?'
      ]
    ],
    [
      "something of another type",
      "jobs:\n - input: a\n   speakers: { A: { voice: 3 } }",
      ['m.yaml:3: jobs[0].speakers.A.voice: expected a text, found 3: in quotes it is one, "3"']
    ],
    [
      "not a mapping",
      "just words",
      [
        "m.yaml:1: expected a manifest, that is a mapping with a list named jobs (dubwright init writes one to start from)"
      ]
    ],
    [
      "an empty file",
      "",
      [
        "m.yaml:1: expected a manifest, that is a mapping with a list named jobs (dubwright init writes one to start from)"
      ]
    ],
    [
      "a key that a terminal would obey",
      'jobs:\n  - input: a\n    "voice\\e[31m\\n": b\n',
      ["m.yaml:3: jobs[0].voice\ufffd[31m\ufffd: unknown key"]
    ],
    [
      "a key given twice",
      "jobs: [{ input: a }]\njobs: [{ input: b }]\n",
      ["m.yaml:2: not readable as YAML or JSON: the key jobs stands here twice"]
    ],
    [
      "one value where a list belongs",
      "jobs:\n  - input: a\n    outputs: wav, srt\n",
      ['m.yaml:3: jobs[0].outputs: expected a list, found "wav, srt": write [wav, srt]']
    ],
    ["something else where a list belongs", "jobs: 5\n", ["m.yaml:1: jobs: expected a list, found 5"]],
    [
      "keys where a list belongs",
      "jobs:\n  ep01: { input: a }\n",
      [
        'm.yaml:2: jobs: expected a list, found {"ep01":{"input":"a"}}: each of its entries begins with a dash'
      ]
    ],
    [
      "a value where many keys may stand",
      "jobs:\n  - a.srt\n",
      ['m.yaml:2: jobs[0]: expected keys with their values, found "a.srt"']
    ],
    [
      "a value where few keys may stand",
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
      "the service's key, which is not shown",
      "service: { baseUrl: https://tts.example, apiKey: s3cret }\njobs: [{ input: a }]",
      [
        "m.yaml:1: service.apiKey: unknown key: the service's key is read from DUBWRIGHT_API_KEY and nowhere else"
      ]
    ],
    [
      "nothing behind a key",
      "name:\njobs: [{ input: a }]",
      ["m.yaml:1: name: expected a text, found nothing"]
    ],
    [
      "a text without letters, as it is written",
      "jobs: [{ input: a, id: 007 }]",
      ['m.yaml:1: jobs[0].id: expected a text of at most 120 characters, found 7: in quotes it is one, "007"']
    ],
    [
      "texts that are empty or stand between spaces",
      "name: ''\njobs: [{ input: ' a ' }]",
      [
        'm.yaml:1: name: expected a text that is not empty, found ""',
        'm.yaml:2: jobs[0].input: expected a text without spaces around it, found " a "'
      ]
    ],
    [
      "a number that is none of the choices",
      "jobs: [{ input: a, audio: { depth: 20 } }]",
      ["m.yaml:1: jobs[0].audio.depth: expected one of 16, 24, 32, found 20"]
    ],
    [
      "a decimal written with a comma",
      "jobs: [{ input: a, fit: { maxSpeed: 1,3 } }]",
      ["m.yaml:1: jobs[0].fit.3: unknown key (a decimal is written with a point: 1.3)"]
    ],
    [
      "a language that is none",
      "jobs: [{ input: a, language: english! }]",
      [
        'm.yaml:1: jobs[0].language: expected a language such as en, vi, pt-BR or French, found "english!"; did you mean English (en)?'
      ]
    ],
    ["tabs", "jobs:\n  - input: a\n\tvoice: b\n", [unread(3, "indented by a tab: YAML takes spaces only")]],
    [
      "a key that stands beside its like",
      "jobs:\n  - input: a\n   voice: b\n",
      [
        unread(
          3,
          "indented otherwise than what it belongs to: keys that belong together begin in the same column"
        )
      ]
    ],
    [
      "a key too far to the right",
      "jobs:\n  - input: a\n     voice: b\n",
      [
        unread(
          2,
          "a second colon in one entry: a text with a colon and a space in it stands in quotes, and keys that belong together begin in the same column"
        )
      ]
    ],
    [
      "a key without a colon",
      "jobs\n  - input: a\n",
      [
        unread(
          1,
          "a key without a colon behind it, or a line that is indented otherwise than those it belongs to"
        )
      ]
    ],
    [
      "a glob without quotes",
      "jobs:\n  - input: *.srt\n",
      [unread(2, '*.srt is an alias of nothing; a text that begins with * stands in quotes, "*.srt"')]
    ],
    [
      "a sign that begins no text",
      "name: @x\njobs: []\n",
      [unread(1, "a text that begins with @ stands in quotes")]
    ],
    [
      "a backslash in double quotes",
      'jobs:\n  - input: "C:\\Users\\a.srt"\n',
      [
        unread(
          2,
          "\\U means nothing in double quotes: a backslash stands in single quotes, and a path takes / as well"
        )
      ]
    ],
    [
      "a quote without an end, where it begins",
      "jobs:\n  - input: 'a\n    voice: b\n",
      [unread(2, "a quote that begins here is never closed")]
    ],
    ["a list without an end", "jobs: [{ input: a }\nname: x\n", [unread(2, "[ is opened, and ] is missing")]],
    [
      "two documents",
      "jobs: [{ input: a }]\n---\njobs: [{ input: b }]\n",
      [unread(2, "a second document begins here, and one is expected")]
    ],
    [
      "a word that is neither true nor false",
      "jobs: [{ input: a, verify: yes }]",
      ['m.yaml:1: jobs[0].verify: expected true or false, found "yes"']
    ],
    [
      "an address that is none of the web",
      "service: { baseUrl: ftp://tts.example }\njobs: [{ input: a }]",
      [
        'm.yaml:1: service.baseUrl: expected an http or https address such as https://tts.example, found "ftp://tts.example"'
      ]
    ]
  ])("%s", (_, text, expected) => {
    expect(refusals(text)).toEqual(expected)
  })

  test("every fault is told, not only the first", () => {
    expect(refusals("jobs:\n  - input: a\n    onfailure: fail\n  - inptu: b\n")).toHaveLength(3)
  })
})

test("a mapping takes another's keys in by YAML's merge key", () => {
  const text = "defaults: &night { voice: x, unit: sentence }\njobs: [{ <<: *night, input: a, voice: y }]"
  expect(Either.getOrThrow(readManifest(text, "m.yaml")).jobs[0]).toEqual({
    input: "a",
    voice: "y",
    unit: "sentence"
  })
})

test("JSON is read as YAML is", () => {
  const manifest = {
    name: "n",
    service: { baseUrl: "http://127.0.0.1:1" },
    jobs: [{ input: "a.srt", outputs: ["wav"] }]
  }
  expect(readManifest(JSON.stringify(manifest, undefined, 2), "m.json")).toEqual(Either.right(manifest))
})

test("a frame rate is written as a number or as a text", () => {
  const rates = ["25", "29.97", "'25'", "29.97df"].map(
    (rate) =>
      Either.getOrThrow(readManifest(`jobs: [{ input: a, timeline: { frameRate: ${rate} } }]`, "m.yaml"))
        .jobs[0].timeline?.frameRate
  )
  expect(rates).toEqual([25, 29.97, "25", "29.97df"])
})
