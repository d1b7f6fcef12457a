/** Finds out by which names a service answers, from its answers about one task. */
import {
  type AnswerField,
  type Dialect,
  type DialectSetting,
  dialectOf
} from "../../domain/manifest/ServiceDialect.ts"
import {
  fieldIn,
  finiteNumber,
  idIn,
  isDoneWord,
  isAddress,
  isNamed,
  isUuid,
  type Leaf,
  leavesOf,
  likeliest,
  notIds,
  stateIn,
  taskOf
} from "../../gateway/exchange/ResponseReading.ts"

/** The answers about one task. */
export interface SeenTask {
  readonly id: string
  readonly create: unknown
  /** Those of its polls that differ, in order. */
  readonly looks: ReadonlyArray<unknown>
  /** Its entry in the history. */
  readonly row: unknown
  /** The address in the last poll where its audio was. */
  readonly audio: string | undefined
  readonly text: string
  readonly label: string
}

/**
 * Returns the setting of a dialect that reads these answers: `setting`, and what it lacks. `isRead` says whether a run
 * can read them by it.
 */
export const dialectSeen = (setting: DialectSetting | undefined, seen: SeenTask) => {
  const { id, create, looks, row, audio } = seen
  let found: Exclude<DialectSetting, string> =
    typeof setting === "string" ? { like: setting } : (setting ?? {})
  const dialect = () => dialectOf(found)
  const last = looks.at(-1)
  const pending = audio === undefined ? looks : looks.slice(0, -1)
  const add = (field: AnswerField, path: string | undefined) => {
    // Names of a list and of the field in its entries are separate.
    for (const name of path?.split(/\[\]\.?/u).reverse() ?? [])
      if (name !== "")
        found = { ...found, fields: { ...found.fields, [field]: [name, ...(found.fields?.[field] ?? [])] } }
  }
  const isPendingRead = () =>
    pending.every((look) => {
      const { status, silent } = taskOf(look, id, dialect())
      return status !== "done" && silent === undefined
    })
  const isAudioRead = () => taskOf(last, id, dialect()).audio_url === audio

  if (idIn(create, dialect()) !== id) add("id", pathOf(create, id))
  if (row !== undefined && idIn(row, dialect()) !== id) add("id", pathOf(row, id))

  const sent = [id, seen.text, seen.label]
  const state = stateGuess([create, ...looks], sent, dialect())
  const word = stateIn(last, dialect())
  const isClear = isDoneWord(word, dialect()) && isPendingRead()
  if (audio !== undefined && state !== undefined && !isClear) {
    const done = state.value.toLowerCase()
    if (!isDoneWord(done, dialect()) && !pending.some((look) => valueAt(look, state.path) === state.value))
      found = { ...found, states: { ...found.states, done: [done, ...(found.states?.done ?? [])] } }
    if (stateIn(last, dialect()) !== state.value) add("state", state.path)
  }
  if (state === undefined && fieldIn(last, "progress", dialect()) === undefined)
    add("progress", progressGuess(looks))
  if (audio !== undefined && !isAudioRead())
    add("audio", leavesOf(last).find(({ value }) => value === audio)?.path)

  for (const field of ["srt", "json"] as const)
    if (fieldIn(last, field, dialect()) === undefined)
      add(field, leavesOf(last).find(({ value }) => new RegExp(`\\.${field}(\\?|$)`, "iu").test(value))?.path)
  if (taskOf(row, id, dialect()).voice_name !== seen.label) add("label", pathOf(row, seen.label))
  if (taskOf(row, id, dialect()).text !== seen.text) add("text", pathOf(row, seen.text))

  return {
    setting: Object.keys(found).length === 0 ? ("default" as const) : found,
    isRead: idIn(create, dialect()) === id && isAudioRead() && isPendingRead()
  }
}

/** Returns what may be the task's id, the likeliest first. `sent` is what the create said itself. */
export const idGuesses = (create: unknown, sent: ReadonlyArray<string>): ReadonlyArray<Leaf> =>
  likeliest(
    leavesOf(create).filter(
      (leaf) => isNameable(leaf) && !sent.includes(leaf.value) && !isAddress(leaf.value)
    ),
    ({ path, value }) => {
      if (/\s/u.test(value) || /^\d{4}-\d\d-\d\d/u.test(value) || isNamed(path, notIds)) return 0
      const isOpaque = /^(?=.*\d)[\w.:~-]{6,}$|^[\w-]{16,}$/u.test(value) && !/^[\d.]+$/u.test(value)
      return (isUuid.test(value) ? 4 : isOpaque ? 2 : 0) + (isNamed(path, idNames) ? 2 : 0)
    }
  )

const idNames = /^(id|uid|uuid|guid|ticket|task|job|ref|reference|handle|token|number|order|receipt|key)$/iu

/** Returns where in an answer a value is, outside lists. */
export const pathOf = (answer: unknown, value: string): string | undefined =>
  leavesOf(answer).find((leaf) => isNameable(leaf) && leaf.value === value)?.path

const valueAt = (answer: unknown, path: string): string | undefined =>
  leavesOf(answer).find((leaf) => leaf.path === path)?.value

/** Finds the state's word in the last of the answers: of the others, it may not be in the create's. */
const stateGuess = (answers: ReadonlyArray<unknown>, sent: ReadonlyArray<string>, dialect: Dialect) =>
  likeliest(leavesOf(answers.at(-1)).filter(isNameable), ({ path, value }) => {
    const known = isNamed(path, states)
    const isWord = /^\p{L}[\p{L}\p{M}_ -]{0,39}$/u.test(value) || (known && /^-?\d{1,3}$/u.test(value))
    const changes = answers.some((answer) => (valueAt(answer, path) ?? value) !== value)
    if (!isWord || sent.includes(value) || isNamed(path, words) || (answers.length > 2 && !changes)) return 0
    return (known ? 3 : 0) + (changes ? 2 : 0) + (isDoneWord(value, dialect) ? 2 : 0)
  })[0]

/** Finds a number that grows to 100. */
const progressGuess = (looks: ReadonlyArray<unknown>): string | undefined =>
  leavesOf(looks.at(-1)).find((leaf) => {
    const values = looks.map((look) => finiteNumber((valueAt(look, leaf.path) ?? "0").replace("%", "")) ?? -1)
    const grows = values.every((value, at) => value >= (values[at - 1] ?? 0))
    return isNameable(leaf) && grows && values.at(-1) === 100 && (values[0] ?? 100) < 100
  })?.path

/** Whether a dialect can name a leaf: it is in no list. */
const isNameable = ({ path }: Leaf): boolean => path !== "" && !path.includes("[]")

const states = /^(status|state|phase|stage|step|condition)$/iu
const words = /^(message|detail|note|title|text|description|reason|at|name)$/iu
