import { randomBytes } from 'node:crypto'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'

export type OperatorCredential = { url: string; token: string }

const folder = () => join(homedir(), '.partner')
const fileOf = (url: string) => join(folder(), `${new URL(url).host}.json`)

export const newOperatorToken = (): string => `op_${randomBytes(32).toString('base64url')}`

/** Keeps the credential where the command line of the same user finds it: mode 600, one file a host. */
export function keepCredential(credential: OperatorCredential): { forget(): void } {
  mkdirSync(folder(), { recursive: true, mode: 0o700 })
  const file = fileOf(credential.url)
  rmSync(file, { force: true })
  writeFileSync(file, JSON.stringify(credential), { mode: 0o600, flag: 'wx' })
  return { forget: () => rmSync(file, { force: true }) }
}

/** Null where this user has none for that host. */
export function findCredential(url: string): OperatorCredential | null {
  try {
    return JSON.parse(readFileSync(fileOf(url), 'utf8')) as OperatorCredential
  } catch {
    return null
  }
}
