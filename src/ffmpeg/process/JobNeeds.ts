/** Which encoders, filters and muxers of ffmpeg a job needs, read from its options. */
import type { FfmpegJob, JobOutput } from "./FfmpegJob.ts"

/** A part that a build of ffmpeg may lack, by ffmpeg's name for it. */
export interface Feature {
  readonly kind: FeatureKind
  readonly name: string
}

export type FeatureKind = "encoder" | "filter" | "muxer" | "bsf"

/** Returns the features that a job needs to write its outputs, each once. */
export const needsOf = ({ filters, outputs }: FfmpegJob): ReadonlyArray<Feature> => {
  const needs = [
    ...filters.flatMap(filtersIn),
    ...outputs.flatMap(({ options }) => valuesOf(options, isFilters).flatMap(filtersIn)),
    ...outputs.flatMap(({ options }) =>
      valuesOf(options, isCodec)
        .filter((codec) => codec !== "copy")
        .map((name) => ({ kind: "encoder", name }) as const)
    ),
    ...outputs.flatMap(({ options }) =>
      valuesOf(options, isBitstreamFilter).map((chain) => ({ kind: "bsf", name: nameOf(chain) }) as const)
    ),
    ...outputs.flatMap(({ options }) =>
      valuesOf(options, isFormat).map((name) => ({ kind: "muxer", name }) as const)
    )
  ]
  return [...new Map(needs.map((feature) => [`${feature.kind} ${feature.name}`, feature])).values()]
}

const isCodec = (option: string): boolean => /^-c(?::|$)/u.test(option)
const isFilters = (option: string): boolean => /^-(?:af$|filter:)/u.test(option)
const isBitstreamFilter = (option: string): boolean => /^-bsf:/u.test(option)
const isFormat = (option: string): boolean => option === "-f"

/** Returns the values of an output's options of one kind. */
const valuesOf = (options: JobOutput["options"], isAsked: (option: string) => boolean) =>
  options.filter((_, at) => at > 0 && isAsked(options[at - 1] ?? ""))

/** Returns the filters of a chain such as `[a][b]amerge=inputs=2,apad[c]`. Commas in arguments are escaped. */
const filtersIn = (chain: string): ReadonlyArray<Feature> =>
  chain
    .replaceAll(/\[[^\]]*\]/gu, "")
    .split(/(?<!\\),/u)
    .map((filter) => ({ kind: "filter", name: nameOf(filter) }))

/** The name of a filter with arguments. */
const nameOf = (filter: string): string => filter.replace(/=.*$/u, "")
