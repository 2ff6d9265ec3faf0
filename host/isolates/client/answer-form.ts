import type { FailureKind, GuestFailure } from './types.ts'

const pairs: Record<string, string> = { '{': '}', '[': ']', '"': '"' }
/** A number may be of any length: `JSON.rawJSON` writes them. */
const scalar = /^(null|true|false|-?\d[\d.eE+-]*)$/

/**
 * A result's form, checked without parsing it on the event loop: it begins and ends like one JSON text and holds no line
 * break, so that it can start no second line of a stream or a log. Whoever splices it into other JSON parses it elsewhere.
 */
export function hasJsonForm(text: string): boolean {
  if (scalar.test(text)) return true
  const closing = pairs[text[0] ?? '']
  return (
    closing !== undefined && text.length > 1 && text.at(-1) === closing && !text.includes('\n') && !text.includes('\r')
  )
}

const guestKinds = new Set<string>([
  'threw',
  'result_too_large',
  'unserialisable',
  'argument_too_large',
  'too_many_calls',
] satisfies FailureKind[])

const isGuestKind = (kind: unknown): kind is FailureKind => typeof kind === 'string' && guestKinds.has(kind)
const clipped = (value: unknown, length: number) => (typeof value === 'string' ? value.slice(0, length) : undefined)
const maxFailureText = 64_000

/** What a guest says of its failure: known fields of known types and lengths, whatever it sent. Undefined: out of form. */
export function readFailure(text: string): GuestFailure | undefined {
  if (text.length > maxFailureText) return undefined
  let parsed: unknown
  try {
    parsed = JSON.parse(text)
  } catch {
    return undefined
  }
  if (typeof parsed !== 'object' || parsed === null) return undefined
  const { kind, message, name, stack, code, status } = parsed as Record<string, unknown>
  if (!isGuestKind(kind)) return undefined
  const failure: GuestFailure = { kind, message: clipped(message, 2_000) ?? '' }
  const knownName = clipped(name, 100)
  const knownStack = clipped(stack, 6_000)
  const knownCode = clipped(code, 100)
  if (knownName !== undefined) failure.name = knownName
  if (knownStack !== undefined) failure.stack = knownStack
  if (knownCode !== undefined) failure.code = knownCode
  if (typeof status === 'number' && Number.isInteger(status) && status >= 400 && status < 600) failure.status = status
  return failure
}

const shownFields = ['code', 'status', 'message', 'scope', 'errors', 'key', 'retry_after'] as const

/** A host error as the guest may see it: listed fields only. An unlisted error is "failed": no SQL, no path, no stack. */
export function errorEnvelope(error: unknown): string {
  if (
    typeof error !== 'object' ||
    error === null ||
    !('code' in error) ||
    typeof error.code !== 'string' ||
    !('status' in error)
  ) {
    return '{"code":"failed","status":500,"message":"the service call failed"}'
  }
  const fields = error as Record<string, unknown>
  return JSON.stringify(
    Object.fromEntries(
      shownFields.filter((field) => fields[field] !== undefined).map((field) => [field, fields[field]]),
    ),
  )
}

/** One line of a call's failure for a log. `envelope`: of `errorEnvelope`. */
export function toldFailure(path: string, envelope: string): string {
  const { code, message, scope, errors } = JSON.parse(envelope)
  const fields = errors === undefined ? '' : ` ${JSON.stringify(errors)}`
  return `${path}: ${code}: ${message}${scope === undefined ? '' : ` (${scope})`}${fields}`
}
