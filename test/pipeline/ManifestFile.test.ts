import { Either } from "effect"
import { describe, expect, test } from "vitest"
import { readManifest } from "../../src/pipeline/ManifestFile.ts"

const refusals = (text: string): ReadonlyArray<string> =>
  Either.match(readManifest(text, "m.yaml"), {
    onLeft: (error) => error.message.split("\n"),
    onRight: () => []
  })

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
      ["m.yaml:3: jobs[0].fit.maxSpeed: expected a number between 1 and 3, found 9"]
    ],
    [
      "a word that is none of the choices",
      "jobs:\n  - input: a\n    onFailure: silense\n",
      ['m.yaml:3: jobs[0].onFailure: expected one of fail, silence, found "silense"; did you mean silence?']
    ],
    [
      "a service that is neither",
      "service: embeded\njobs: [{ input: a }]",
      ['m.yaml:1: service: expected embedded, or baseUrl with the service\'s address, found "embeded"']
    ],
    [
      "a choice about lost creates that is none",
      "service: { baseUrl: 'http://127.0.0.1:9', undecided: agian }\njobs: [{ input: a }]",
      ['m.yaml:1: service: expected undecided to be one of match, report, again, found "agian"']
    ],
    [
      "something of another type",
      "jobs:\n - input: a\n   speakers: { A: { voice: 3 } }",
      ["m.yaml:3: jobs[0].speakers.A.voice: expected text, found 3"]
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
      ["m.yaml:2: not readable as YAML or JSON: Map keys must be unique, found jobs twice"]
    ],
    [
      "one value where a list belongs",
      "jobs:\n  - input: a\n    outputs: wav\n",
      ['m.yaml:3: jobs[0].outputs: expected a list such as ["wav"], found "wav"']
    ],
    ["something else where a list belongs", "jobs: 5\n", ["m.yaml:1: jobs: expected a list, found 5"]],
    [
      "a value where keys belong",
      "jobs:\n  - a.srt\n",
      ['m.yaml:2: jobs[0]: expected keys with their values, found "a.srt"']
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
        'm.yaml:1: service: expected baseUrl to be an http or https address such as https://tts.example, found "ftp://tts.example"'
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
