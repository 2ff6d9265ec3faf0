import type { ScopeManager } from '@typescript-eslint/scope-manager'
import type { TSESTree } from '@typescript-eslint/types'
import type { Linter } from 'eslint/universal'
import type { Finding } from '../finding.ts'
import { isRule, rules, severityOf } from '../rules/index.ts'
import { policyPlugin } from '../rules/plugin.ts'
import type { FileKind } from '../rules/support/lint-rule.ts'
import { loadPackages } from './parser/packages.ts'
import { createParser, languageOf } from './parser/parser.ts'

export type ParsedFile = { ast: TSESTree.Program; scopeManager: ScopeManager }
export type LintResult = { findings: Finding[]; parsed?: ParsedFile }
/** `replaced`: the parts of Node that the bundle gives this file something else for. */
export type LintFile = (file: string, text: string, kind: FileKind, replaced?: readonly string[]) => LintResult

/** One linter for a whole run: ESLint with inline configuration off, so no comment in a file can silence a rule. */
export function createLinter(packages = loadPackages()): LintFile {
  const linter = new packages.Linter({ configType: 'flat' })
  const parser = createParser(packages)
  const configs: Record<FileKind, Linter.Config[]> = {
    own: configFor('own', parser),
    dependency: configFor('dependency', parser),
    mobile: configFor('mobile', parser),
  }
  return (file, text, kind, replaced = []) => {
    // ESLint matches files by name and leaves out node_modules and what lies above: no name may change the verdict.
    const name = file.replace(/^(\.\.\/)+/, 'above/').replaceAll('node_modules', 'npm')
    const filename = `${name}.${languageOf(file)}`
    const messages = linter.verify(text, replaced.length > 0 ? withReplaced(configs[kind], replaced) : configs[kind], {
      filename,
      allowInlineConfig: false,
      reportUnusedDisableDirectives: false,
    })
    const fatal = messages.find((message) => message.fatal)
    const sourceCode = linter.getSourceCode() as unknown as ParsedFile | null
    return {
      findings: fatal ? [unparsable(file, fatal)] : messages.map((message) => toFinding(file, message)),
      ...(fatal || !sourceCode ? {} : { parsed: { ast: sourceCode.ast, scopeManager: sourceCode.scopeManager } }),
    }
  }
}

const withReplaced = (configs: Linter.Config[], replaced: readonly string[]): Linter.Config[] =>
  configs.map((config) => ({ ...config, settings: { ...config.settings, replaced } }))

/** The same rules for ESLint in an editor, which shows each finding in its place and mends what is safe to mend. */
export function editorConfig(): Linter.Config[] {
  const [config] = configFor('own', createParser(loadPackages()))
  return [
    { ignores: ['**/test/**', '**/tests/**', '**/*.{test,spec}.*', '**/*.d.ts', 'mobile/**'] },
    { ...config, files: ['**/*.{ts,mts,cts,tsx,js,mjs,cjs,jsx}'] },
  ]
}

function configFor(kind: FileKind, parser: ReturnType<typeof createParser>): Linter.Config[] {
  const applied = Object.entries(rules).flatMap(([id, entry]): [string, 'error'][] =>
    'lint' in entry && entry.lint?.files.includes(kind) ? [[`policy/${id}`, 'error']] : [],
  )
  return [
    {
      files: ['**/*.{ts,tsx,js,jsx}'],
      plugins: { policy: policyPlugin() },
      languageOptions: { parser: parser as unknown as Linter.Parser, sourceType: 'module' },
      linterOptions: { noInlineConfig: true, reportUnusedDisableDirectives: 'off' },
      settings: { fileKind: kind },
      rules: Object.fromEntries(applied),
    },
  ]
}

function toFinding(file: string, message: Linter.LintMessage): Finding {
  const rule = message.ruleId?.replace('policy/', '') ?? ''
  if (!isRule(rule))
    throw new Error(`ESLint answered with a rule that is not ours: ${message.ruleId} ${message.message}`)
  return {
    rule,
    severity: severityOf(rule),
    file,
    line: message.line,
    column: message.column,
    message: message.message,
  }
}

function unparsable(file: string, message: Linter.LintMessage): Finding {
  return {
    rule: 'file-not-parsable',
    severity: 'error',
    file,
    line: message.line ?? 1,
    column: message.column ?? 1,
    message: message.message,
    fix: 'Correct the syntax: what cannot be parsed cannot be reviewed.',
  }
}
