import { createInterface } from 'node:readline/promises'
import { isCancel, password } from '@clack/prompts'
import type { NewPartner } from '../lifecycle/partner-keys.ts'
import { keepCredential } from '../supervisor/operator-credential.ts'
import { askHost, print, type RemoteOptions, reportRefusal } from './operator-client.ts'

/** Makes a partner; their key is shown once. */
export async function add(name: string, options: RemoteOptions): Promise<void> {
  await reportRefusal(options, async () => {
    const answer = await askHost<{ partner: NewPartner }>(options.url, '/partners', { name })
    print(options, answer, shown)
  })
}

/** Another key of a partner's, shown once. `--revoke`: those before end at once. */
export async function key(id: string, options: RemoteOptions & { revoke?: true }): Promise<void> {
  await reportRefusal(options, async () => {
    const body = { partner: id, revoke: options.revoke }
    const answer = await askHost<{ partner: NewPartner }>(options.url, '/partners/keys', body)
    print(options, answer, shown)
  })
}

const shown = ({ partner }: { partner: NewPartner }): string[] => [
  `${partner.name}: ${partner.id}`,
  `  key, shown once: ${partner.key}`,
]

/** Ends every key of a partner's. */
export async function revoke(id: string, options: RemoteOptions): Promise<void> {
  await reportRefusal(options, async () => {
    const answer = await askHost<{ revoked: boolean }>(options.url, '/partners/revoke', { partner: id })
    print(options, answer, ({ revoked }) => [revoked ? `${id} has no key any more` : `${id} had no key`])
  })
}

/** Keeps a partner's key, or an operator's credential, for this host. It comes on standard input: never an argument. */
export async function login({ partnersPath, ...options }: RemoteOptions & { partnersPath: string }): Promise<void> {
  const { url } = options
  const token = (process.stdin.isTTY ? await typedKey() : await pipedKey()).trim()
  if (!/^(ppk|op)_[A-Za-z0-9_-]{43}$/.test(token)) throw new Error('that is no key of this platform')
  const response = await fetch(new URL(`${partnersPath}/api/apps`, url), {
    headers: { authorization: `Bearer ${token}` },
  }).catch(() => {
    throw new Error(`no host answers at ${url}`)
  })
  if (!response.ok) throw new Error(`${url}${partnersPath} does not take this key`)
  keepCredential({ url, token, partnersPath })
  print(options, { url }, () => [`signed in at ${url}`])
}

/** Masked: what a terminal shows is seen, recorded and scrolled back to. Empty where it is cancelled. */
async function typedKey(): Promise<string> {
  const key = await password({ message: 'key:', output: process.stderr })
  return isCancel(key) ? '' : (key ?? '')
}

async function pipedKey(): Promise<string> {
  // No terminal, even where the prompt is shown on one: it would show the key as well.
  const lines = createInterface({ input: process.stdin, output: process.stderr, terminal: false })
  lines.setPrompt('key: ')
  lines.prompt()
  // Unlike a question, this ends with the input too.
  const { value } = await lines[Symbol.asyncIterator]().next()
  lines.close()
  return value ?? ''
}
