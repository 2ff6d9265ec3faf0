import { askHost, print, type RemoteOptions, reportRefusal } from './operator-client.ts'

export async function rotate(slug: string, options: RemoteOptions & { tenant: string; revoke?: true }): Promise<void> {
  await reportRefusal(options, async () => {
    const answer = await askHost<{ token: string }>(options.url, '/tokens/rotate', {
      slug,
      tenant: options.tenant,
      revoke: options.revoke,
    })
    print(options, answer, ({ token }) => [token])
  })
}
