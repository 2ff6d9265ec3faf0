import type { z } from 'zod'
import type { ScopeFacts } from '../catalog.ts'
import { isRule, type RuleId } from '../rules/index.ts'
import { crossChecks, type ManifestFinding } from './cross-checks.ts'
import { type Manifest, manifestSchema } from './schema.ts'

export type { ManifestFinding } from './cross-checks.ts'

export type ManifestCheck = { readonly manifest?: Manifest; readonly findings: readonly ManifestFinding[] }

export type ManifestOptions = {
  readonly scopeCatalog: readonly ScopeFacts[]
  /** What can be subscribed to; any name passes where it is not given. */
  readonly events?: readonly string[] | undefined
  /** Whether `http://127.0.0.1` is taken as a webhook URL; a setting of the host that publishes. */
  readonly allowLoopback?: boolean | undefined
}

/** Every refusal at once, each with its path, its rule and what would mend it; the manifest with its defaults if there is none. */
export function checkManifest(json: unknown, { scopeCatalog, ...rules }: ManifestOptions): ManifestCheck {
  const parsed = manifestSchema.safeParse(json)
  if (!parsed.success) return { findings: parsed.error.issues.flatMap((issue) => shapeFindings(issue, json)) }
  const manifest = withAttachedScopes(parsed.data)
  const findings = crossChecks(manifest, scopeCatalog, rules)
  return findings.length > 0 ? { findings } : { manifest, findings }
}

/** Choosing the type `notification` attaches two scopes: to send is required, to read the log is optional. */
function withAttachedScopes(manifest: Manifest): Manifest {
  if (manifest.integrationType !== 'notification') return manifest
  const attached = [
    {
      key: 'notifications.providers.send',
      required: true,
      reason: 'The app delivers the notifications of the platform.',
    },
    { key: 'notifications.logs.read', required: false, reason: 'The app may show what became of its deliveries.' },
  ]
  const missing = attached.filter(({ key }) => !manifest.scopes.some((scope) => scope.key === key))
  return { ...manifest, scopes: [...manifest.scopes, ...missing] }
}

function shapeFindings(issue: z.core.$ZodIssue, json: unknown): ManifestFinding[] {
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({
      path: shownPath([...issue.path, key]),
      rule: 'manifest-shape',
      message: key === 'options_endpoint' ? '`options_endpoint` is reserved.' : `There is no field \`${key}\` here.`,
      mend: 'Remove it, or correct its name.',
    }))
  }
  const branch = issue.code === 'invalid_union' ? branchMeant(issue) : undefined
  if (branch) return branch.flatMap((inner) => shapeFindings({ ...inner, path: [...issue.path, ...inner.path] }, json))
  const rule: RuleId =
    issue.code === 'custom' && isRule(String(issue.params?.rule)) ? 'manifest-duplicate' : 'manifest-shape'
  const absent = valueAt(json, issue.path) === undefined
  const mend = absent ? 'Add it.' : rule === 'manifest-duplicate' ? 'Remove one of the two.' : mendFor(issue)
  return [
    { path: shownPath(issue.path), rule, message: absent ? `It is missing: ${issue.message}` : issue.message, mend },
  ]
}

/** Of several forms, the one that a value is of as a whole, and is wrong inside. */
function branchMeant({ errors }: z.core.$ZodIssueInvalidUnion): z.core.$ZodIssue[] | undefined {
  const ofThisForm = errors.filter(
    (issues) => !issues.some(({ code, path }) => code === 'invalid_type' && path.length === 0),
  )
  return ofThisForm.length === 1 ? ofThisForm[0] : undefined
}

function mendFor(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case 'invalid_value':
      return `Write one of: ${issue.values.map(String).join(', ')}.`
    case 'too_big':
      return `At most ${issue.maximum} ${issue.origin === 'array' ? 'entries' : issue.origin === 'string' ? 'characters' : ''}.`.replace(
        ' .',
        '.',
      )
    case 'too_small':
      return `At least ${issue.minimum} ${issue.origin === 'array' ? 'entries' : issue.origin === 'string' ? 'characters' : ''}.`.replace(
        ' .',
        '.',
      )
    case 'invalid_type':
      return issue.expected === 'undefined' ? 'Remove it.' : `Write a value of type ${issue.expected}.`
    case 'invalid_union':
      return 'Write one of the forms the JSON Schema shows for this field.'
    default:
      return `Write ${issue.message}.`
  }
}

/** `landing_widgets[0].settings_schema.fields[2].default` */
export function shownPath(path: readonly PropertyKey[]): string {
  return (
    path
      .map((part, index) => (typeof part === 'number' ? `[${part}]` : index === 0 ? String(part) : `.${String(part)}`))
      .join('') || '(the manifest)'
  )
}

export function valueAt(json: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (value, key) =>
      typeof value === 'object' && value !== null ? (value as Record<PropertyKey, unknown>)[key] : undefined,
    json,
  )
}
