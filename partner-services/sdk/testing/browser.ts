import { hiddenFields } from './forms.ts'

export type PageAnswer = {
  status: number
  text: string
  /** Where a redirect leads; null where the answer is none. */
  location: string | null
}

/** What a browser does for one signed-in user: keeps the cookie, sends forms as they were served. */
export class Browser {
  readonly #origin: string
  #cookies = new Map<string, string>()

  constructor(origin: string) {
    this.#origin = origin
  }

  /** Signs in by the platform's own form. Throws where it refuses. */
  static async signIn(origin: string, user: { username: string; password: string }): Promise<Browser> {
    const browser = new Browser(origin)
    const { username, password } = user
    const { status } = await browser.submit('/sign-in', { username, password }, '/sign-in')
    if (status !== 303 && status !== 302) throw new Error(`${username} could not sign in: ${status}`)
    return browser
  }

  get(path: string): Promise<PageAnswer> {
    return this.#send(path, {})
  }

  /** Fills in the first form of the page that leads below `below` and ends with `action`. Throws where there is none. */
  async submit(page: string, fields: Record<string, string>, action = '', below = ''): Promise<PageAnswer> {
    const { status, text } = await this.get(page)
    const form = hiddenFields(text, action, below)
    if (!form) throw new Error(`${page} (${status}) has no form for ${action || 'POST'}`)
    return this.#send(form.action, {
      method: 'POST',
      body: new URLSearchParams({ ...form.fields, ...fields }),
      headers: { origin: this.#origin },
    })
  }

  async #send(path: string, init: RequestInit): Promise<PageAnswer> {
    const cookie = [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const response = await fetch(new URL(path, this.#origin), {
      ...init,
      redirect: 'manual',
      headers: { accept: 'text/html', ...init.headers, ...(cookie ? { cookie } : {}) },
    })
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      this.#cookies.set(name, value)
    }
    return { status: response.status, text: await response.text(), location: response.headers.get('location') }
  }
}
