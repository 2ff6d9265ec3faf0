import { Browser, type PageAnswer } from './testing/browser.ts'
import { startTestHost } from './testing/host-process.ts'
import { createInvoker, type InvokeOptions, type Invoked } from './testing/invoke.ts'

export type { PageAnswer } from './testing/browser.ts'
export type { InvokeOptions, Invoked } from './testing/invoke.ts'

export type TestTenant = {
  /** Address of the host, for example `http://127.0.0.1:40123`. */
  url: string
  /** Id of the sandbox school, in which the module is installed. */
  tenantId: string
  /** Installation token of the module, for the runtime API under `/apps`. */
  token: string
  /** One call into the module, without a browser: a path (`/loans`) or the name of a tool. With `data` it is a POST. */
  invoke(target: string, options?: InvokeOptions): Promise<Invoked>
  /** A page of the module as a signed-in user sees it. `as` is a user name of the sandbox school. */
  get(path: string, options: { as: string }): Promise<PageAnswer>
  /**
   * Fills in the module's form on `page` whose action ends with `action` (its first POST form where absent) and sends it, hidden
   * fields included.
   */
  submit(page: string, fields: Record<string, string>, options: { as: string; action?: string }): Promise<PageAnswer>
  /** Ends the host and removes its data. */
  stop(): Promise<void>
}

/**
 * Starts a host of its own with a seeded school, publishes the module's folder and installs it: a real runner, a real
 * schema. Takes a few seconds; start one for each test file.
 *
 * ```ts
 * const tenant = await startTestTenant({ module: new URL('..', import.meta.url) })
 * after(() => tenant.stop())
 * const answer = await tenant.invoke('/loans', { as: 'librarian' })
 * ```
 */
export async function startTestTenant(options: { module: string | URL }): Promise<TestTenant> {
  const { ready, stop } = await startTestHost(options.module)
  const { url, slug, tenant, users, token } = ready
  const browsers = new Map<string, Promise<Browser>>()

  const browserOf = (username: string): Promise<Browser> => {
    const user = users[username]
    if (!user) throw new Error(`the sandbox school has no user ${username}, only ${Object.keys(users).join(', ')}`)
    const known = browsers.get(username) ?? Browser.signIn(url, user)
    browsers.set(username, known)
    return known
  }
  const pathOf = (path: string) => `/m/${slug}${path === '/' ? '' : path}`

  return {
    url,
    tenantId: tenant,
    token,
    invoke: createInvoker(url, slug),
    get: async (path, { as }) => (await browserOf(as)).get(pathOf(path)),
    // The platform's bar has a form too: the one that signs out.
    submit: async (page, fields, { as, action }) =>
      (await browserOf(as)).submit(pathOf(page), fields, action, `/m/${slug}`),
    stop,
  }
}
