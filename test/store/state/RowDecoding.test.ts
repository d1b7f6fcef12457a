import { expect, it } from "@effect/vitest"
import { Arbitrary, Either, FastCheck as fc, Schema } from "effect"
import { fastRows } from "../../../src/store/state/RowDecoding.ts"
import { ClipRow, StatusRow, StoredRow } from "../../../src/store/tables/UtteranceRow.ts"

/** Wrong values of a column: another type, another text, or nothing. */
const odd = fc.oneof(
  fc.constantFrom<unknown>(null, undefined, "", "[]", "{}", "planned", 0, -1, 1.5, NaN, Infinity),
  fc.string(),
  fc.uint8Array({ maxLength: 3 })
)

/** Compares both decoders on rows as they were written, with one column changed, left out or added. */
const decodesAlike = <A, I extends object>(name: string, row: Schema.Schema<A, I>) =>
  it.prop(
    `decodes rows of ${name} as their schema does`,
    {
      rows: fc.array(Arbitrary.make(Schema.encodedSchema(row)), { minLength: 1, maxLength: 3 }),
      written: fc.array(Arbitrary.make(Schema.typeSchema(row)), { minLength: 1, maxLength: 3 }),
      at: fc.nat({ max: 15 }),
      value: odd,
      how: fc.constantFrom("whole" as const, "changed" as const, "without" as const, "more" as const)
    },
    ({ rows, written, at, value, how }) => {
      for (const one of [...rows, ...written.map((each): object => Schema.encodeSync(row)(each))]) {
        const columns = Object.entries(one)
        const [chosen = "extra"] = columns[at % columns.length] ?? []
        const without = Object.fromEntries(columns.filter(([column]) => column !== chosen))
        const given = {
          whole: one,
          changed: { ...one, [chosen]: value },
          without,
          more: { ...one, extra: value }
        }
        const [fast, plain] = [fastRows(row), row].map((schema) =>
          Either.getRight(Schema.decodeUnknownEither(schema)(given[how]))
        )
        expect(fast).toEqual(plain)
      }
    }
  )

decodesAlike("utterances", StoredRow)
decodesAlike("clips", ClipRow)
decodesAlike("an utterance's status", StatusRow)
