/** The options with which a service is started. */
import { Context } from "effect"
import type { Engine } from "../../engines/Engine.ts"
import type { ServiceConfig } from "./ServiceConfig.ts"

/** The options of a service. Each part reads its own settings and limits from it, with their defaults. */
export class ServiceOptions extends Context.Tag("service/Options")<
  ServiceOptions,
  {
    readonly host: string
    /** 0 takes any free port. */
    readonly port: number
    readonly config: ServiceConfig
    /** Engines of the host program, by the names that providers use for them. */
    readonly engines?: ReadonlyMap<string, Engine>
    /** Whether clients see an engine's own errors, which may name addresses, programs and variables. */
    readonly candid: boolean
  }
>() {}
