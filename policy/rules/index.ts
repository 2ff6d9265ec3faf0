import type { Severity } from '../finding.ts'
import { dynamicCode } from './dynamic-code.ts'
import { environment } from './environment.ts'
import { environmentFileRule } from './environment-file.ts'
import { htmlOutsideTag } from './html-outside-tag.ts'
import { mobileLink } from './mobile-link.ts'
import { moduleImport } from './module-import.ts'
import { network } from './network.ts'
import { nodeBuiltin } from './node-builtin.ts'
import { packageCodeFromText } from './package-code-from-text.ts'
import { platformImport } from './platform-import.ts'
import { secretInSource } from './secret-in-source.ts'
import { sqlConcatenation } from './sql-concatenation.ts'
import type { LintRule } from './support/lint-rule.ts'
import { undeclaredRead } from './undeclared-read.ts'
import { undeclaredWrite } from './undeclared-write.ts'

/**
 * Who finds it: `lint` — an ESLint rule on one file; `flow` — following values through the whole module;
 * `file` — reading and bundling; `manifest` — the declaration checks.
 */
export type RuleEntry = {
  readonly severity: Severity
  readonly by: 'lint' | 'flow' | 'file' | 'manifest'
  readonly summary: string
  readonly lint?: LintRule
}

const lint = (rule: LintRule, summary: string, severity: Severity = 'error'): RuleEntry => ({
  severity,
  by: 'lint',
  summary,
  lint: rule,
})
const flow = (summary: string, severity: Severity = 'error'): RuleEntry => ({ severity, by: 'flow', summary })
const file = (summary: string): RuleEntry => ({ severity: 'error', by: 'file', summary })
const manifest = (summary: string, severity: Severity = 'error'): RuleEntry => ({ severity, by: 'manifest', summary })

/** Every rule of the scan by its stable id. Each has a page in `docs/` and a test; a test holds the three together. */
export const rules = {
  'dynamic-code': lint(dynamicCode, 'code made from text at run time'),
  environment: lint(environment, "the platform's process and environment"),
  'environment-file': lint(environmentFileRule, 'environment and configuration files'),
  'html-outside-tag': lint(htmlOutsideTag, 'HTML built outside the html tag'),
  'mobile-link': lint(mobileLink, 'a link out of mobile/'),
  'module-import': lint(moduleImport, "an import from outside the module's folder"),
  network: lint(network, "a connection that is not the context's fetch"),
  'node-builtin': lint(nodeBuiltin, 'a part of Node'),
  'package-code-from-text': lint(packageCodeFromText, 'a part of an npm package that fails in an isolate', 'warning'),
  'platform-import': lint(platformImport, "the platform's own code"),
  'secret-in-source': lint(secretInSource, 'a secret in the source'),
  'sql-concatenation': lint(sqlConcatenation, 'SQL built from text'),
  'undeclared-read': lint(undeclaredRead, 'a name that neither the file nor an isolate has', 'warning'),
  'undeclared-write': lint(undeclaredWrite, 'an assignment to a name the file does not declare'),

  'context-escape': flow('the context, services or db given to code the scan cannot follow'),
  'context-stored': flow('the context, services or db kept beyond the call'),
  'egress-undeclared': flow('a host the manifest does not declare'),
  'landing-widget-base-class': flow('a widget that does not extend LandingWidget'),
  'notification-key-not-declared': flow('a notification key the manifest does not declare'),
  'notification-key-unused': flow('a declared notification key nothing sends', 'warning'),
  'operation-unknown': flow('an operation the partner service layer does not have'),
  'scope-undeclared': flow('a scope the code uses and the manifest does not request'),
  'scope-untraceable': flow('a use of services the scan cannot follow'),
  'scope-unused': flow('a scope the manifest requests and the code never uses', 'warning'),
  'student-hashid-misuse': flow('a studentHashid treated as an id or kept'),
  'tag-called': flow('sql or html called as a function'),
  'ulid-cast-to-int': flow('an identifier turned into a number'),
  'ulid-numeric-comparison': flow('an identifier compared as a number'),

  'bundle-failed': file('a bundle that esbuild cannot make'),
  'file-not-parsable': file('a file that is no TypeScript or JavaScript'),
  'file-not-text': file('a file that is no UTF-8 text'),
  'file-too-large': file('a file too large to review'),
  'file-timeout': file('a file the scan cannot finish'),
  'import-unresolved': file('an import that leads nowhere'),
  'link-outside': file('a symbolic link'),
  'native-code': file('machine code in the bundle'),
  'too-many-files': file('more files than a module may have'),

  key_prefix: manifest('a notification key without the slug in front'),
  'landing-widget-missing': manifest('a declared widget the module does not export'),
  'manifest-block': manifest('a block that does not fit the integration type'),
  'manifest-duplicate': manifest('two entries of one key'),
  'manifest-missing': manifest('a module without a manifest'),
  'manifest-not-json': manifest('a manifest that is no JSON'),
  'manifest-shape': manifest('a field that is missing or of the wrong form'),
  'scope-dangerous-reason': manifest('a dangerous scope without a written reason'),
  'scope-inactive': manifest('a scope the catalog has withdrawn'),
  'scope-invented': manifest('a scope the catalog does not have'),
  'slug-reserved': manifest('a slug that is a feature of the scope catalog'),
  'widget-scope': manifest('a widget scope the public page may not have'),
} as const satisfies Record<string, RuleEntry>

export type RuleId = keyof typeof rules

export function severityOf(rule: RuleId): Severity {
  return rules[rule].severity
}

export function isRule(id: string): id is RuleId {
  return Object.hasOwn(rules, id)
}
