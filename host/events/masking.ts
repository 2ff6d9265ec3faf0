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

/**
 * A receiver's answer with every text of the event's own data masked: receivers like to echo. Only the beginning of an answer
 * is kept, so what it ends with may be the beginning of such a text.
 */
export function maskEcho(answer: string, data: unknown): string {
  if (holdsSecret(data)) return answer === '' ? '' : neverShown
  const values = textsOf(data).filter((text) => text.length >= shortestValue && !isUlid(text))
  const forms = values.flatMap(formsOf).sort((a, b) => b.length - a.length)
  return maskEnd(
    forms.reduce((rest, form) => rest.replaceAll(form, masked), answer),
    forms,
  )
}

/** A text as answers write it: as it is, in JSON, in addresses and in forms. */
function formsOf(text: string): string[] {
  const escaped = [asciiJson(text), encodeURIComponent(text), new URLSearchParams({ text }).toString().slice(5)]
  return [text, JSON.stringify(text).slice(1, -1), ...escaped.flatMap(inEitherCase)]
}

const hexDigits = /(?<=%)[\da-f]{2}|(?<=\\u)[\da-f]{4}/gi

/** The digits of an escape are written in either case. */
const inEitherCase = (escaped: string): string[] => [
  escaped.replace(hexDigits, (digits) => digits.toUpperCase()),
  escaped.replace(hexDigits, (digits) => digits.toLowerCase()),
]

/** A letter that was cut within its bytes is read as this sign, or as several. */
const halfLetter = /\ufffd{1,3}$/

function maskEnd(answer: string, forms: readonly string[]): string {
  const whole = answer.replace(halfLetter, '')
  const kept = forms.map((form) => {
    for (let length = Math.min(form.length, whole.length); length >= shortestValue; length--)
      if (whole.endsWith(form.slice(0, length))) return length
    return 0
  })
  const longest = Math.max(0, ...kept)
  return longest === 0 ? answer : whole.slice(0, whole.length - longest) + masked
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
