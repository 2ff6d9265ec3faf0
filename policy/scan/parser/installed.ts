import Module, { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { asModule } from './as-module.ts'
import type { ParserPackages } from './packages.ts'

/** The names of the language's own libraries, a tenth of what a thread loads: the policy looks them up nowhere. */
const noLibraries = { lib: new Map<string, unknown>() }

/**
 * The files behind them. TypeScript and the scope manager are those that @typescript-eslint/parser is made of, in the very
 * version it pins; of its converter only what turns one tree into the other, for the rest of it (projects, watching, type
 * checks) takes longer to load than to parse.
 */
export function packageFiles() {
  const ofParser = createRequire(import.meta.resolve('@typescript-eslint/parser'))
  const estree = ofParser.resolve('@typescript-eslint/typescript-estree')
  const scopeManager = ofParser.resolve('@typescript-eslint/scope-manager')
  return {
    typescript: createRequire(estree).resolve('typescript'),
    converter: join(dirname(estree), 'ast-converter.js'),
    scopeManager,
    libraries: createRequire(scopeManager).resolve('./lib'),
    linter: createRequire(import.meta.url).resolve('eslint/universal'),
  }
}

/** Each file from where npm put it. */
export function installedPackages(): ParserPackages {
  const { typescript, converter, scopeManager, libraries, linter } = packageFiles()
  const require = createRequire(converter)
  const ts = asModule(require(typescript))
  const empty = new Module(libraries)
  empty.exports = noLibraries
  empty.loaded = true
  require.cache[libraries] = empty
  return {
    ts,
    astConverter: require(converter).astConverter,
    scopes: require(scopeManager),
    Linter: require(linter).Linter,
  }
}
