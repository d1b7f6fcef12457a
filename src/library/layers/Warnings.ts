/** Warnings of checks before a run. */
import { Effect, Layer, Option } from "effect"
import { Progress } from "../../pipeline/Progress.ts"

/** Passes events to the caller's `Progress`, if there is one. Otherwise adds the warnings to `notes`. */
export const warningsTo = (notes: Array<string>): Layer.Layer<Progress> =>
  Layer.effect(
    Progress,
    Effect.map(
      Effect.serviceOption(Progress),
      Option.getOrElse((): Progress["Type"] => ({
        emit: (event) =>
          Effect.sync(() => {
            if (event._tag === "Warning") notes.push(event.message)
          })
      }))
    )
  )
