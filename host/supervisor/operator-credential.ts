import { randomBytes } from 'node:crypto'
import { accessSync, constants, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { SettingError } from '../config.ts'
import { makeFolder } from './make-folder.ts'

export type OperatorCredential = {
  url: string
  token: string
  /** Where the host has its partners' portal: its setting PARTNERS_PATH. */
  partnersPath: string
}

const folder = () => join(homedir(), '.partner')
const fileOf = (url: string) => join(folder(), `${new URL(url).host}.json`)

/** A host that listens on all addresses, or on localhost, is called by the loopback's, as every verb does that is told no other. */
function addressesOf(url: string): string[] {
  const { hostname, port } = new URL(url)
  return ['0.0.0.0', '[::]', 'localhost'].includes(hostname) ? [url, `http://127.0.0.1:${port}`] : [url]
}

export const newOperatorToken = (): string => `op_${randomBytes(32).toString('base64url')}`

/** Throws a SettingError where this user's home takes no credential, as that of a service's user which has none. */
export function prepareCredentials(): void {
  try {
    makeFolder(folder(), 0o700)
    accessSync(folder(), constants.W_OK | constants.X_OK)
  } catch (error) {
    throw new SettingError(`HOME takes a folder for the operator's credential (${(error as Error).message})`)
  }
}

/** Keeps the credential where the command line of the same user finds it: mode 600, one file an address. */
export function keepCredential(credential: OperatorCredential): { forget(): void } {
  prepareCredentials()
  const files = addressesOf(credential.url).map(fileOf)
  const forget = () => {
    for (const file of files) rmSync(file, { force: true })
  }
  forget()
  for (const file of files) writeFileSync(file, JSON.stringify(credential), { mode: 0o600, flag: 'wx' })
  return { forget }
}

/**
 * Null where this user has none for that host. Its `url` is where it may be sent: what is kept for 127.0.0.1 alone is found by
 * localhost, but goes to no other address that localhost stands for; and what is kept for https does not go by http.
 */
export function findCredential(url: string): OperatorCredential | null {
  const kept = readCredential(url)
  if (kept || !URL.canParse(url)) return kept
  const { protocol, hostname, port } = new URL(url)
  return hostname === 'localhost' ? readCredential(`${protocol}//127.0.0.1${port && `:${port}`}`) : null
}

function readCredential(url: string): OperatorCredential | null {
  try {
    const kept = JSON.parse(readFileSync(fileOf(url), 'utf8')) as Omit<OperatorCredential, 'partnersPath'>
    if (new URL(kept.url).protocol === 'https:' && new URL(url).protocol !== 'https:') return null
    // An earlier release kept no path.
    return { partnersPath: '/partners', ...kept, url }
  } catch {
    return null
  }
}
