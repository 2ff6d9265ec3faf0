import type { AppCredentials } from '../installations/app-credentials.ts'
import { askPortal, print, type RemoteOptions, reportRefusal } from './operator-client.ts'

/** New secrets of an external app, shown once; those before end at once. */
export async function credentials(slug: string, options: RemoteOptions): Promise<void> {
  await reportRefusal(options, async () => {
    const path = `/apps/${encodeURIComponent(slug)}/credentials`
    const answer = await askPortal<{ credentials: AppCredentials }>(options.url, path, {})
    print(options, answer, ({ credentials: { client_id, client_secret, webhook_secret } }) => [
      `client_id       ${client_id}`,
      `client_secret   ${client_secret}`,
      `webhook_secret  ${webhook_secret}`,
      'shown once: keep them on your server',
    ])
  })
}
