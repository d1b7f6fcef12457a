import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { ProviderId, VoiceId } from "../../../../src/domain/values/Ids.ts"
import { providersIn } from "../../../../src/pipeline/plan/voices/VoiceProviders.ts"

const [one, two] = [ProviderId.make("provider_one"), ProviderId.make("provider_two")]
const [aria, luna, vega] = [VoiceId.make("aria"), VoiceId.make("luna"), VoiceId.make("lunaa")]
const named = (...ids: ReadonlyArray<string>) => new Map(ids.map((id) => [id, { languages: [] }]))
const lists = new Map([
  [one, named("aria", "luna")],
  [two, named("luna", "stella")]
])

it.effect("finds the one provider that lists a voice", () =>
  Effect.map(providersIn([aria], lists, "film.srt"), (found) => expect([...found]).toEqual([[aria, one]]))
)

it.effect("rejects voices of several providers or none by name", () =>
  Effect.map(Effect.flip(providersIn([aria, luna, vega], lists, "film.srt")), ({ faults }) =>
    expect(faults.map(({ file, message }) => `${file}: ${message}`)).toEqual([
      'film.srt: provider_one and provider_two have a voice "luna"; choose one with --provider, or with ' +
        "provider: in the manifest",
      'film.srt: no provider of the service has a voice "lunaa"; did you mean "luna" of provider_one or ' +
        '"luna" of provider_two? (dubwright voices lists all)'
    ])
  )
)
