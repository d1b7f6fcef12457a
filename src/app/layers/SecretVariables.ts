/**
 * Keeps secrets out of the environment that programs inherit: ffmpeg, and all that it loads, needs none of them. The
 * command itself reads its settings from a copy.
 */
import { ConfigProvider } from "effect"

/** An environment. */
export type Variables = Record<string, string | undefined>

/** Names of keys, tokens and passwords, of dubwright and of speech vendors. */
const secretName = /(?:^|_)(?:API_?KEY|KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIALS?)(?:_|$)/iu

const withheld = new Map<string, string>()

/** Takes secrets out of an environment, and returns all of its variables as the source of settings. */
export const withholdSecrets = (environment: Variables): ConfigProvider.ConfigProvider => {
  const all = new Map<string, string>()
  for (const [name, value] of Object.entries(environment)) {
    if (value === undefined) continue
    all.set(name, value)
    if (!secretName.test(name)) continue
    withheld.set(name, value)
    delete environment[name]
  }
  // The same delimiters as in Effect's own provider of the environment.
  return ConfigProvider.fromMap(all, { pathDelim: "_", seqDelim: "," })
}

/** Fewer characters may be a word of the text. */
const shortestHidden = 12

/** Replaces dubwright's own secrets in a text by the names of their variables, in case a service returns one. */
export const withoutSecrets = (text: string): string => {
  let shown = text
  for (const [name, value] of withheld)
    if (name.startsWith("DUBWRIGHT_") && value.length >= shortestHidden)
      shown = shown.replaceAll(value, `[${name}]`)
  return shown
}

/**
 * Returns the environment of a program that the manifest names. It gets its own secrets, such as a chat's token, but
 * none of dubwright's.
 */
export const environmentOfPrograms = (environment: Variables): Variables => ({
  ...environment,
  ...Object.fromEntries([...withheld].filter(([name]) => !name.startsWith("DUBWRIGHT_")))
})
