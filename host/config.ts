import { isIP } from 'node:net'
import { availableParallelism } from 'node:os'
import { resolve } from 'node:path'
import { z } from 'zod'

/** Without user, query and fragment: paths are put behind it, and everybody sees it. */
const plainAddress = /^https?:\/\/[^/?#@]+(\/[^?#]*)?$/i

const flag = z.enum(['true', 'false', '1', '0']).transform((text) => text === 'true' || text === '1')
/** Written in decimal digits: other notations, and an empty text, would be read as numbers that nobody meant. */
const whole = (minimum: number, maximum: number) =>
  z
    .string()
    .trim()
    .regex(/^\d{1,5}$/)
    .transform(Number)
    .pipe(z.number().min(minimum).max(maximum))
const basePath = z.string().regex(/^(\/[a-z0-9-]+)+$/, 'takes a path like /apps')

/** Settings that must never be printed, nor handed on: whoever needs one of them is given that one. */
const secretNames = ['DATABASE_URL', 'HOST_KEY', 'SMTP_URL', 'AI_API_KEY', 'CAPTCHA_SECRET'] as const

/** Every setting of the host, its default and what it takes. The one place where names of settings are known. */
export const settingsSchema = z.object({
  HOST: z.string().min(1).default('127.0.0.1').describe('an address to listen on'),
  PORT: whole(0, 65535).default(4400).describe('a TCP port, 0 for a free one'),
  DATABASE_URL: z
    .url({ protocol: /^postgres(ql)?$/ })
    .refine(isDecodable)
    .refine(namesDatabase)
    .optional()
    .describe('a postgres:// address with the name of a database, a percent sign in it as %25'),
  DATA_DIR: z.string().min(1).default('.data').describe('a folder that this user may write'),
  HOST_KEY: z
    .string()
    .regex(/^[A-Za-z0-9+/]{43}=$/)
    .optional()
    .describe('32 bytes in base64'),
  PUBLIC_URL: z
    .url({ protocol: /^https?$/ })
    .regex(plainAddress)
    .transform((address) => new URL(address).href.replace(/\/+$/, ''))
    .optional()
    .describe('an http or https address without user, query and fragment'),
  WEB_PROCESSES: whole(1, 64).optional().describe('a number of processes, 1 to 64'),
  RUNNERS: whole(1, 64).optional().describe('a number of processes, 1 to 64'),
  LOG_LEVEL: z
    .enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'])
    .default('info')
    .describe('one of trace, debug, info, warn, error, fatal, silent'),
  ALLOW_LOOPBACK_CALLBACKS: flag.default(false).describe('true or false'),
  TRUSTED_PROXIES: z
    .string()
    .default('')
    .transform((text) => text.split(',').flatMap((part) => part.trim() || []))
    .refine((parts) => parts.every(isNetwork))
    .describe('addresses or networks separated by commas'),
  METRICS_PORT: whole(1, 65535).optional().describe('a TCP port of the loopback interface'),
  SMTP_URL: z
    .url({ protocol: /^smtps?$/ })
    .optional()
    .describe('an smtp:// address'),
  AI_BASE_URL: z
    .url({ protocol: /^https?$/ })
    .refine(namesNobody)
    .optional()
    .describe('an http or https address without user and password'),
  AI_API_KEY: z.string().min(1).optional().describe('a text'),
  CAPTCHA_VERIFY_URL: z
    .url({ protocol: /^https?$/ })
    .refine(namesNobody)
    .optional()
    .describe('an http or https address without user and password'),
  CAPTCHA_SECRET: z.string().min(1).optional().describe('a text'),
  PARTNERS_AUDIENCE_GUARD_MODE: z.enum(['log', 'enforce']).default('log').describe('log or enforce'),
  BASE_PATH: basePath.default('/apps').describe('a path'),
  SANDBOX_BASE_PATH: basePath.default('/sandbox/apps').describe('a path'),
  PARTNERS_PATH: basePath.default('/partners').describe('a path'),
  DOCS_PATH: basePath.default('/docs').describe('a path'),
  CONTACTS_PATH: basePath.default('/contacts').describe('a path'),
})

export type Settings = z.output<typeof settingsSchema>

type SecretName = (typeof secretNames)[number]

/** What every process of a host may know. */
export type SharedSettings = Omit<Settings, SecretName> & { [Name in SecretName]?: never }

export function withoutSecrets(settings: Settings): SharedSettings {
  const shared: Partial<Settings> = { ...settings }
  for (const name of secretNames) delete shared[name]
  return shared as SharedSettings
}

/** The first segments of all addresses that no setting moves. */
export const fixedPaths = ['/assets', '/healthz', '/m', '/oauth', '/operator', '/readyz', '/sign-in', '/sign-out']

const pathSettings = ['BASE_PATH', 'SANDBOX_BASE_PATH', 'PARTNERS_PATH', 'DOCS_PATH', 'CONTACTS_PATH'] as const

/** A setting with a value that it does not take. `message` is the one line shown to the operator. */
export class SettingError extends Error {
  override name = 'SettingError'
}

/** An address, or an address with the length of its prefix. */
function isNetwork(text: string): boolean {
  const [address = '', prefix, ...rest] = text.split('/')
  const family = isIP(address)
  if (family === 0 || rest.length > 0) return false
  return prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= (family === 4 ? 32 : 128))
}

/** An address is shown with the settings. */
function namesNobody(address: string): boolean {
  if (!URL.canParse(address)) return false
  const { username, password } = new URL(address)
  return username === '' && password === ''
}

/** A password is often pasted as it is. */
function isDecodable(address: string): boolean {
  try {
    return decodeURIComponent(address) !== ''
  } catch {
    return false
  }
}

/** libpq would take the user's name instead: which database is ours is said, never guessed. */
function namesDatabase(address: string): boolean {
  return URL.canParse(address) && new URL(address).pathname.length > 1
}

/** How many processes serve requests on this machine. */
export const webProcessCount = ({ WEB_PROCESSES }: Pick<Settings, 'WEB_PROCESSES'>): number =>
  WEB_PROCESSES ?? Math.max(1, availableParallelism() - 1)

/** Parses the environment. Throws a SettingError that names the first wrong setting and what it takes. */
export function readSettings(environment: Record<string, string | undefined>): Settings {
  const known = Object.keys(settingsSchema.shape)
  const given = Object.fromEntries(
    known.map((name) => [name, environment[name]]).filter(([, value]) => value !== undefined && value !== ''),
  )
  const parsed = settingsSchema.safeParse(given)
  if (!parsed.success) {
    const name = String(parsed.error.issues[0]?.path[0])
    const shape = settingsSchema.shape as Record<string, z.ZodType>
    throw new SettingError(`${name} takes ${shape[name]?.description ?? 'another value'}`)
  }
  if (parsed.data.DATABASE_URL && !parsed.data.HOST_KEY) {
    throw new SettingError('HOST_KEY takes 32 bytes in base64 and is required with DATABASE_URL')
  }
  requireOwnPaths(parsed.data)
  return { ...parsed.data, DATA_DIR: resolve(parsed.data.DATA_DIR) }
}

/** One door inside another would take its requests, its token checks and its answers to unknown paths. */
function requireOwnPaths(settings: Settings): void {
  const taken = [...fixedPaths]
  for (const name of pathSettings) {
    const path = settings[name]
    const other = taken.find((one) => `${path}/`.startsWith(`${one}/`) || `${one}/`.startsWith(`${path}/`))
    if (other) throw new SettingError(`${name} takes a path of its own (${other} is taken)`)
    taken.push(path)
  }
}

const isSecret = (name: string): boolean => (secretNames as readonly string[]).includes(name)

/** Every setting as it may be shown: null where it is not set, masked where it is a secret. */
export function printableSettings(settings: Settings): Record<string, unknown> {
  const names = Object.keys(settingsSchema.shape) as (keyof Settings)[]
  return Object.fromEntries(
    names.map((name) => [name, isSecret(name) && settings[name] ? '********' : (settings[name] ?? null)]),
  )
}
