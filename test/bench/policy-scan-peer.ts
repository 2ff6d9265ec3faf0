import path from 'node:path'
import * as parser from '@typescript-eslint/parser'
import { ESLint } from 'eslint'

/** The peer: ESLint itself over the same folder with the same parser and no rules, as a process of its own. */
const [dir = '.'] = process.argv.slice(2)
const config = [
  { files: ['**/*.ts'], languageOptions: { parser: parser as never }, linterOptions: { noInlineConfig: true } },
]
const eslint = new ESLint({
  cwd: path.resolve(dir),
  overrideConfigFile: true,
  overrideConfig: config,
  allowInlineConfig: false,
})
const results = await eslint.lintFiles(['**/*.ts'])
process.exitCode = results.some((result) => result.fatalErrorCount > 0) ? 1 : 0
