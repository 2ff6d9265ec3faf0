import { z } from 'zod'

/**
 * What a school is shown, and what a reader of the manifest sees, is what is written: no control character, none that
 * overrides or isolates its direction, which UAX #9 calls explicit (CVE-2021-42574), and none that is not seen (Unicode's
 * Default_Ignorable_Code_Point, separators of lines, the blank of Braille). The joiners, marks of direction and variants,
 * which Arabic and signs are written with, are taken.
 */
const shown = (taken: string, needed?: string): RegExp => {
  const unseen = String.raw`\p{Cc}\p{Cs}\p{Default_Ignorable_Code_Point}\u2028\u2029\u202a-\u202e\u2066-\u2069\u2800`
  const joining = String.raw`\u061c\u200c-\u200f\ufe0e\ufe0f`
  const seen = needed === undefined ? '' : `(?=[^${needed}]*[${needed}])`
  return new RegExp(`^${seen}(?:[^${unseen}]|[${joining}${taken}])*$`, 'u')
}

const letters = String.raw`\p{L}\p{N}`
const signs = String.raw`${letters}\p{P}\p{S}`
const ofCharacters = 'without control characters, invisible ones and those that turn the direction of writing'

/** A text of some length after trimming nothing: what the partner wrote is what people see. */
export const text = (least: number, most: number) =>
  z.string().min(least).max(most).regex(shown('', letters), `one line with a letter or digit, ${ofCharacters}`)

/** The same where a sign may stand alone: an icon, or what is chosen between. */
export const sign = (most: number) =>
  z.string().min(1).max(most).regex(shown('', signs), `one line that can be seen, ${ofCharacters}`)

/** The same where sentences stand: lines and tabs as well. It may be empty where no least length is asked for. */
export const multilineText = (least: number, most: number) =>
  z
    .string()
    .min(least)
    .max(most)
    .regex(
      shown(String.raw`\n\t`, least > 0 ? letters : undefined),
      `a text ${least > 0 ? 'with a letter or digit, and ' : ''}${ofCharacters}, but newlines and tabs`,
    )

/** How much of a text is said in letters and digits. */
export const lettersOf = (value: string): number => value.match(/[\p{L}\p{N}]/gu)?.length ?? 0

export const slugPattern = /^[a-z][a-z0-9_]{1,39}$/
export const slugForm = 'lowercase letters, digits and underscores, 2 to 40, a letter first'
export const slug = z.string().regex(slugPattern, slugForm)

const scopePattern = /^[a-z][a-z0-9_]*\.[a-z][a-z0-9_]*\.(read|write)$/

/** `<feature>.<resource>.<action>`; the one action besides read and write belongs to notification providers. */
export const scopeKey = z
  .string()
  .refine(
    (key) => scopePattern.test(key) || key === 'notifications.providers.send',
    '<feature>.<resource>.read or .write, lowercase, no wildcards',
  )

export const permissionKey = z
  .string()
  .regex(/^[a-z][a-z0-9_]*\.[a-z][a-z0-9_]*\.[a-z][a-z0-9_]*$/, '<feature>.<resource>.<action>, lowercase')

export const eventName = z.string().regex(/^[a-z][a-z0-9_]*(\.[a-z][a-z0-9_]*){2}$/, '<feature>.<resource>.<action>')

/** An absolute address over TLS, without credentials. */
export const httpsUrl = z
  .string()
  .max(2048)
  .refine((value) => isHttps(value), 'an absolute HTTPS address without user name or password')

/** The one plain address there is: what a developer's own machine serves, where the host's setting opens it. */
export const isLoopbackUrl = (value: string): boolean => {
  if (!URL.canParse(value)) return false
  const { protocol, hostname, username, password } = new URL(value)
  return protocol === 'http:' && hostname === '127.0.0.1' && username === '' && password === ''
}

/** Whether `http://127.0.0.1` is taken is the host's setting: the cross-checks ask for it. */
export const webhookUrl = z
  .string()
  .max(2048)
  .refine((value) => isHttps(value) || isLoopbackUrl(value), 'an absolute HTTPS address without user name or password')

export const httpsOrigin = httpsUrl.refine(
  (value) => URL.canParse(value) && new URL(value).origin === value,
  'an HTTPS origin such as https://app.example.com, no path',
)

export const host = z
  .string()
  .max(253)
  .regex(
    /^(?=.{1,253}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+([a-z]{2,63}|xn--[a-z0-9-]{0,58}[a-z0-9])$/,
    'a host name such as api.example.com: no scheme, port, path, wildcard or address',
  )

/** A name in both languages. */
export const bilingual = (most: number) => z.strictObject({ ar: text(1, most), en: text(1, most) })

export const className = z.string().regex(/^[A-Za-z_]\w*([\\.][A-Za-z_]\w*)+$/, 'a fully qualified class name')

/** A flat name: `::` would reach into another package. */
export const componentAlias = z
  .string()
  .max(80)
  .regex(/^[A-Za-z][A-Za-z0-9_.-]*$/, 'a flat alias, without ::')

/** The parser of addresses adds slashes and drops spaces and line breaks: `https:a.example` is none to anybody else. */
function isHttps(value: string): boolean {
  if (!/^https:\/\/[^\\\s]+$/i.test(value) || !URL.canParse(value)) return false
  const { protocol, username, password } = new URL(value)
  return protocol === 'https:' && username === '' && password === ''
}
