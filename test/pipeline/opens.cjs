// Appends the path of each file that the process opens to the file in OPENS, one a line. Loaded before the program.
const fs = require("node:fs")
const Module = require("node:module")

const { OPENS } = process.env
const append = fs.appendFileSync
const note = (path) => append(OPENS, `${path}\n`)

/** Notes the first argument of each call of a function. */
const noted = (holder, name) => {
  const original = holder[name]
  holder[name] = (...words) => {
    if (words[0] !== OPENS) note(words[0])
    return original.apply(holder, words)
  }
}
for (const name of ["open", "openSync", "readFile", "readFileSync"]) noted(fs, name)
for (const name of ["open", "readFile"]) noted(fs.promises, name)
Module.syncBuiltinESMExports()

// SQLite opens its files in native code.
const load = Module._load
Module._load = function (...words) {
  const loaded = load.apply(this, words)
  if (!/^better-sqlite3(?:-napi)?$/u.test(words[0])) return loaded
  return new Proxy(loaded, {
    construct: (target, given) => {
      note(given[0])
      return Reflect.construct(target, given)
    }
  })
}
