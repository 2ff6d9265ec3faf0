import type { LintRule, Node, RuleContext } from './support/lint-rule.ts'

/** What may begin anywhere has a longest beginning: a scan of a megabyte takes milliseconds, whatever is in it. */
const known: readonly (readonly [RegExp, string])[] = [
  [/\bpit_(live|test)_[0-9A-Za-z]{20,}/, 'an installation token'],
  [/\bAKIA[0-9A-Z]{16}\b/, 'an AWS access key'],
  [/\b(sk|rk)_live_[0-9A-Za-z]{16,}/, 'a Stripe key'],
  [/\bsk-(proj-|ant-)?[0-9A-Za-z_-]{24,}/, 'an AI provider key'],
  [/\bgh[pousr]_[0-9A-Za-z]{30,}/, 'a GitHub token'],
  [/\bgithub_pat_[0-9A-Za-z_]{30,}/, 'a GitHub token'],
  [/\bglpat-[0-9A-Za-z_-]{18,}/, 'a GitLab token'],
  [/\bxox[abprs]-[0-9A-Za-z-]{16,}/, 'a Slack token'],
  [/\bAIza[0-9A-Za-z_-]{30,}/, 'a Google API key'],
  [/\bnpm_[0-9A-Za-z]{36}\b/, 'an npm token'],
  [/-----BEGIN [A-Z ]*PRIVATE KEY-----/, 'a private key'],
  [/\beyJ[\w-]{10,500}\.eyJ[\w-]{10,}\.[\w-]{10,}/, 'a signed token'],
  [/\b[a-z][a-z0-9+]{0,30}:\/\/[^\s:/@]+:[^\s:/@]{6,}@/i, 'a password in an address'],
]
const secretName =
  /(^|_|[a-z])(password|passwd|secret|api_?key|access_?key|private_?key|auth_?token|access_?token|client_?secret|webhook_?secret)$/i
const minLength = 12
const minEntropyBits = 3.2

/** Whatever is in the source is in the repository, in the bundle and on the reviewers' screens. */
export const secretInSource: LintRule = {
  files: ['own', 'mobile'],
  create(context) {
    return {
      Literal(node) {
        if (typeof node.value === 'string') check(context, node, node.value)
      },
      TemplateElement(node) {
        check(context, node, node.value.raw)
      },
    }
  },
}

/** What kind of secret a text holds by its form, if any. */
export function secretIn(text: string): string | undefined {
  if (text.length < minLength) return undefined
  return known.find(([pattern]) => pattern.test(text))?.[1]
}

/** Whether a text is one by the name it is kept under. */
export function secretByName(name: string, text: string): boolean {
  return text.length >= minLength && secretName.test(name) && looksRandom(text)
}

function check(context: RuleContext, node: Node, text: string): void {
  if (text.length < minLength) return
  const found = secretIn(text) ?? (isNamedSecret(node) && looksRandom(text) ? 'a secret, by its name' : undefined)
  if (!found) return
  context.report({
    node,
    message: `This looks like ${found}. Declare a secret field in \`settings_schema\`, read it from \`settings\`, and revoke this one.`,
  })
}

function isNamedSecret(node: Node): boolean {
  const { parent } = node
  if (parent?.type === 'VariableDeclarator') return parent.id.type === 'Identifier' && secretName.test(parent.id.name)
  if (parent?.type === 'Property' && parent.value === node) {
    return parent.key.type === 'Identifier' && secretName.test(parent.key.name)
  }
  if (parent?.type !== 'AssignmentExpression' || parent.left.type !== 'MemberExpression') return false
  return parent.left.property.type === 'Identifier' && secretName.test(parent.left.property.name)
}

/** An address whose parts are words, with a number of a version at most: what is asked for a secret, not the secret. */
const address = /^(https?:\/\/[a-z0-9.-]+)?(\/[a-z]+(-[a-z]+)*\d?)+$/

/** Words, sentences and keys of translations have spaces, dots or little variety; keys and passwords do not. */
function looksRandom(text: string): boolean {
  if (/\s/.test(text) || !/[0-9]/.test(text) || !/[A-Za-z]/.test(text)) return false
  if (address.test(text)) return false
  const counts = new Map<string, number>()
  for (const character of text) counts.set(character, (counts.get(character) ?? 0) + 1)
  let bits = 0
  for (const count of counts.values()) bits -= (count / text.length) * Math.log2(count / text.length)
  return bits >= minEntropyBits
}
