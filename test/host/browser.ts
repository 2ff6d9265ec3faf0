import { hiddenFields } from '../../partner-services/sdk/testing/forms.ts'

export type Page = { status: number; headers: Headers; text: string; location: string | null }

/** A browser without scripts, signed in: it follows no redirect and sends forms as they were served. */
export type SignedIn = {
  /** What it sends as `Cookie`. */
  cookie: string
  get(path: string, headers?: Record<string, string>): Promise<Page>
  /** Fills in the form of `page` whose action ends with `action` and sends it with its hidden fields. */
  submit(page: string, action: string, fields: Record<string, string>): Promise<Page>
}

export async function signIn(url: string, user: { username: string; password: string }): Promise<SignedIn> {
  const jar = new Map<string, string>()
  const browser: SignedIn = {
    cookie: '',
    get: (path, headers = {}) => send(path, { headers }),
    async submit(page, action, fields) {
      const { text, status } = await browser.get(page)
      const form = hiddenFields(text, action)
      if (!form) throw new Error(`${page} (${status}) has no form for ${action}: ${text}`)
      return send(form.action, { method: 'POST', body: new URLSearchParams({ ...form.fields, ...fields }) })
    },
  }
  async function send(path: string, init: RequestInit): Promise<Page> {
    const headers = { accept: 'text/html', ...(browser.cookie ? { cookie: browser.cookie } : {}), ...init.headers }
    const response = await fetch(new URL(path, url), { ...init, headers, redirect: 'manual' })
    for (const set of response.headers.getSetCookie()) {
      const [name = '', value = ''] = set.split(';')[0]!.split('=')
      if (value === '') jar.delete(name)
      else jar.set(name, value)
    }
    browser.cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ')
    const { status } = response
    return {
      status,
      headers: response.headers,
      text: await response.text(),
      location: response.headers.get('location'),
    }
  }
  const { status } = await browser.submit('/sign-in', '/sign-in', user)
  if (status !== 303) throw new Error(`${user.username} could not sign in: ${status}`)
  return browser
}
