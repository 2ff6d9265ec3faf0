import { ulid } from '../../partner-services/service/schemas.ts'

const isUlid = (text: string): boolean => ulid.safeParse(text).success

const masked = '•••'
const neverShown = '[never shown]'
const secretKeys = new Set(['new_token', 'access_token', 'token'])

/**
 * A copy of an event's data that may be shown: ids, numbers and flags stay, every other text is masked, whatever its
 * key is called. What is not known to be harmless is taken for a child's.
 */
export function maskData(value: unknown, key = ''): unknown {
  if (secretKeys.has(key)) return neverShown
  if (typeof value === 'string') return isUlid(value) ? value : masked
  if (Array.isArray(value)) return value.map((one) => maskData(one, key))
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, maskData(one, name)]))
  return value
}

/** Shorter values are part of too many words to be looked for. */
const shortestValue = 3

/** A receiver's answer with every text of the event's own data masked: receivers like to echo. */
export function maskEcho(answer: string, data: unknown): string {
  if (holdsSecret(data)) return answer === '' ? '' : neverShown
  const values = textsOf(data).filter((text) => text.length >= shortestValue && !isUlid(text))
  return values
    .flatMap((text) => [text, JSON.stringify(text).slice(1, -1), asciiJson(text), encodeURIComponent(text)])
    .sort((a, b) => b.length - a.length)
    .reduce((rest, text) => rest.replaceAll(text, masked), answer)
}

function holdsSecret(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  return Object.entries(value).some(([key, one]) => secretKeys.has(key) || holdsSecret(one))
}

function textsOf(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsOf) : []
}

/** As many JSON writers put it: everything beyond ASCII escaped. */
const asciiJson = (text: string) =>
  JSON.stringify(text)
    .slice(1, -1)
    .replace(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
