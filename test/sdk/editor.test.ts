import assert from 'node:assert/strict'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'

const root = fileURLToPath(new URL('../../', import.meta.url))
const file = join(root, 'modules/library/src/loan-routes.ts')

/** What an editor asks: the language service of TypeScript on the module's files, with one of them edited. */
function editing(text: string): ts.LanguageService {
  const { config } = ts.readConfigFile(join(root, 'tsconfig.json'), ts.sys.readFile)
  const { options } = ts.parseJsonConfigFileContent({ ...config, include: [] }, ts.sys, root)
  const files = globSync('modules/library/src/*.ts', { cwd: root }).map((name) => join(root, name))
  return ts.createLanguageService({
    getCompilationSettings: () => options,
    getScriptFileNames: () => files,
    getScriptVersion: () => '1',
    getScriptSnapshot: (path) => {
      if (path === file) return ts.ScriptSnapshot.fromString(text)
      return existsSync(path) ? ts.ScriptSnapshot.fromString(readFileSync(path, 'utf8')) : undefined
    },
    getCurrentDirectory: () => root,
    getDefaultLibFileName: (given) => ts.getDefaultLibFilePath(given),
    fileExists: ts.sys.fileExists,
    readFile: ts.sys.readFile,
    readDirectory: ts.sys.readDirectory,
    directoryExists: ts.sys.directoryExists,
    getDirectories: ts.sys.getDirectories,
    realpath: ts.sys.realpath,
  })
}

test('an editor completes services, and shows what each operation needs, with nothing to configure', () => {
  const before = `import { defineModule } from '@partner/sdk'
export default defineModule({ routes: { 'GET /': async ({ services, db, viewer }) => { `
  const completions = (written: string) => {
    const text = `${before}${written} } } })`
    const service = editing(text)
    const at = before.length + written.length
    const names = service.getCompletionsAtPosition(file, at, {})?.entries.map(({ name }) => name) ?? []
    const about = (name: string) => {
      const details = service.getCompletionEntryDetails(file, at, name, {}, undefined, {}, undefined)
      const tags = details?.tags?.map((tag) => ts.displayPartsToString(tag.text)) ?? []
      return [ts.displayPartsToString(details?.documentation), ...tags].join('\n')
    }
    return { names, about }
  }

  assert.ok(completions('services.').names.includes('education'))
  const students = completions('services.education.students.')
  for (const verb of ['list', 'get', 'create', 'update']) assert.ok(students.names.includes(verb), verb)
  assert.match(students.about('list'), /Scope: `education\.students\.read`[\s\S]*MissingScopeException/)
  const db = completions('db.')
  assert.deepEqual(db.names.sort(), ['execute', 'row', 'rows', 'transaction'])
  assert.match(db.about('transaction'), /one connection/)
  assert.ok(completions('viewer?.').names.includes('roles'))
})

test('an editor completes the codes of a failed statement, and says for whom there is no viewer', () => {
  const before = `import { DatabaseException, defineModule } from '@partner/sdk'
const isDouble = (error: unknown) => error instanceof DatabaseException && error.code === '`
  const after = `'
export default defineModule({ routes: { 'GET /': (context) => context.viewer } })`
  const service = editing(before + after)
  const codes = service.getCompletionsAtPosition(file, before.length, {})?.entries.map(({ name }) => name) ?? []
  for (const code of ['unique_violation', 'sql_refused', 'timeout']) assert.ok(codes.includes(code), codes.join(' '))
  const viewer = before.length + after.lastIndexOf('viewer')
  const about = service.getQuickInfoAtPosition(file, viewer)?.documentation
  assert.match(ts.displayPartsToString(about), /supervisor/)
})

test('a wrong field of an operation is a type error in the editor', () => {
  const service = editing(`import { defineModule } from '@partner/sdk'
export default defineModule({ routes: { 'GET /': ({ services }) => services.education.students.get({ ID: 'x' }) } })`)
  const [problem] = service.getSemanticDiagnostics(file)
  assert.match(ts.flattenDiagnosticMessageText(problem?.messageText ?? '', '\n'), /'ID' does not exist/)
})
