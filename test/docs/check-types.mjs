// Prints the type errors in the files that a folder's tsconfig.json lists, but not those in what they import.
import ts from "typescript"

const [folder = "."] = process.argv.slice(2)
const read = ts.readConfigFile(`${folder}/tsconfig.json`, ts.sys.readFile)
const { fileNames, options, errors } = ts.parseJsonConfigFileContent(read.config, ts.sys, folder)
const program = ts.createProgram(fileNames, options)
const faults = program.getRootFileNames().flatMap((name) => {
  const source = program.getSourceFile(name)
  return [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)]
})
console.log(
  ts.formatDiagnostics([...errors, ...faults], {
    getCanonicalFileName: (name) => name,
    getCurrentDirectory: () => folder,
    getNewLine: () => "\n"
  })
)
