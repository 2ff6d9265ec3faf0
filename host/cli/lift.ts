import type { Lifted } from '../embedded-apps/strikes.ts'
import { askHost, print, type RemoteOptions, reportRefusal } from './operator-client.ts'

export async function lift(slug: string, options: RemoteOptions & { tenant?: string }): Promise<void> {
  await reportRefusal(options, async () => {
    const body = { slug, ...(options.tenant ? { tenant: options.tenant } : {}) }
    const answer = await askHost<Lifted>(options.url, '/lift', body)
    print(options, answer, ({ app, tenants }) => [
      ...(app ? [`${slug} runs again`] : []),
      ...tenants.map((tenant) => `${slug} runs again at ${tenant}`),
      ...(app || tenants.length > 0 ? [] : [`${slug} was not stopped`]),
    ])
  })
}
