import { createTestClock } from '../events/support.ts'
import { createSchool, type School } from '../support/school.ts'
import { type Portal, publishApp, startPortal, type TestApp } from './support.ts'

export const redirectUri = 'https://registrar.example/callback?from=platform'

export const authorizePath = (fields: Record<string, string>) => `/oauth/authorize?${new URLSearchParams(fields)}`

/** A platform with a school, and an app that has two redirect URLs. */
export async function startOAuth() {
  const clock = createTestClock()
  const portal = await startPortal(clock.now)
  const app = await publishApp(portal, { redirectUrls: [redirectUri, 'https://registrar.example/other'] })
  const school = await createSchool(portal.database.admin)
  return { clock, portal, app, school, client: createOAuthClient(portal, app, school) }
}

/** The app's part in a school's consent, and the school's: each step with what a test says is different. */
function createOAuthClient(portal: Portal, app: TestApp, school: School) {
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
