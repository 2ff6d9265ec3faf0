import { askHost, print, type RemoteOptions, reportRefusal } from './operator-client.ts'

export async function rotate(slug: string, options: RemoteOptions & { tenant: string }): Promise<void> {
  await reportRefusal(options, async () => {
    const answer = await askHost<{ token: string }>(options.url, '/tokens/rotate', { slug, tenant: options.tenant })
    print(options, answer, ({ token }) => [token])
  })
}
