import { askPortal, print, type RemoteOptions, reportRefusal } from './operator-client.ts'

type Credentials = { client_id: string; client_secret: string; webhook_secret: string }

/** New secrets of an external app, shown once; those before end at once. */
export async function credentials(slug: string, options: RemoteOptions): Promise<void> {
  await reportRefusal(options, async () => {
    const path = `/apps/${encodeURIComponent(slug)}/credentials`
    const answer = await askPortal<{ credentials: Credentials }>(options.url, path, {})
    print(options, answer, ({ credentials: { client_id, client_secret, webhook_secret } }) => [
      `client_id       ${client_id}`,
      `client_secret   ${client_secret}`,
      `webhook_secret  ${webhook_secret}`,
      'shown once: keep them on your server',
    ])
  })
}
