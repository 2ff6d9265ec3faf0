import pg from 'pg'
import { findCredential } from '../../host/supervisor/operator-credential.ts'
import { readSourceFiles } from '../../host/publishing/source/source-files.ts'
import { embeddedSuperuser } from '../host/embedded-superuser.ts'
import { hostFolder, type StartedHost, startHostProcess } from '../host/started-host.ts'

// biome-ignore lint/suspicious/noExplicitAny: a test reads answers of every shape
export type Answer = { status: number; body: any }

/** Asks the portal with somebody's key. */
export type Portal = (path: string, body?: unknown, method?: string) => Promise<Answer>

export function portalOf(host: StartedHost, token: string | null, base = '/partners/api'): Portal {
  return async (path, body, method = body === undefined ? 'GET' : 'POST') => {
    const response = await fetch(`${host.url}${base}${path}`, {
      method,
      headers: {
        ...(token === null ? {} : { authorization: `Bearer ${token}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    return { status: response.status, body: text === '' ? null : JSON.parse(text) }
  }
}

export const operatorToken = (host: StartedHost): string => findCredential(host.url)!.token

/** A host with the doors of its operator, and the database behind it. `stop` leaves nothing of it. */
export async function startPlatform() {
  const folder = await hostFolder()
  const host = await startHostProcess(folder.path)
  const database = new pg.Client(embeddedSuperuser(folder.path))
  await database.connect()
  return {
    host,
    operator: portalOf(host, operatorToken(host)),
    ask: portalOf(host, operatorToken(host), '/operator'),
    database,
    async stop() {
      await database.end()
      await host.stop()
      folder.remove()
    },
  }
}

/** A partner of their own. */
export async function newPartner(host: StartedHost, name: string): Promise<{ key: string; portal: Portal }> {
  const response = await fetch(`${host.url}/operator/partners`, {
    method: 'POST',
    headers: { authorization: `Bearer ${operatorToken(host)}`, 'content-type': 'application/json' },
    body: JSON.stringify({ name }),
  })
  const { partner } = (await response.json()) as { partner: { key: string } }
  return { key: partner.key, portal: portalOf(host, partner.key) }
}

export const sourceOf = (dir: string) => ({ files: readSourceFiles(dir) })

/** A page that shows its text, so that a call tells which version answered. */
export const pageOf = (text: string) =>
  `import { defineModule, html } from '@partner/sdk'
export default defineModule({ routes: { 'GET /': async () => html\`<p>${text}</p>\` } })
`
