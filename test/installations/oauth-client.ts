import type { School } from '../support/school.ts'
import type { Portal, TestApp } from './support.ts'

export const authorizePath = (fields: Record<string, string>) => `/oauth/authorize?${new URLSearchParams(fields)}`

export type OAuthClient = ReturnType<typeof createOAuthClient>

/** The app's part in a school's consent, and the school's: each step with what a test says is different. */
export function createOAuthClient(
  portal: Portal,
  { app, school, redirectUri }: { app: TestApp; school: School; redirectUri: string },
) {
  const { client_id, client_secret } = app.credentials
  const client = {
    request: (changes: Record<string, string> = {}) => ({
      ...{ client_id, redirect_uri: redirectUri, response_type: 'code', state: 'xyz' },
      ...changes,
    }),
    async consent(changes: Record<string, string | string[]> = {}) {
      const address = authorizePath(client.request())
      const shown = await portal.call(address, { as: school.id, headers: { accept: 'application/json' } })
      const scopes = ['education.students.read']
      const form = { ...client.request(), _token: shown.body._token, decision: 'approve', scopes, ...changes }
      return portal.call('/oauth/authorize', { method: 'POST', as: school.id, form })
    },
    async newCode(): Promise<string> {
      const { headers } = await client.consent()
      return new URL(headers.get('location')!).searchParams.get('code')!
    },
    exchange: (changes: Record<string, string> = {}) =>
      portal.call('/oauth/token', {
        method: 'POST',
        form: {
          ...{ grant_type: 'authorization_code', redirect_uri: redirectUri, client_id, client_secret },
          ...changes,
        },
      }),
  }
  return client
}
