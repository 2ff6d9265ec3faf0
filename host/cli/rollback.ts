import { askPortal, print, type RemoteOptions, reportRefusal } from './operator-client.ts'

type RolledBack = { version: string; rolled_back: string; moved: number }

/** Code only: tables keep what migrations made of them. With a version, that one or none: safe to repeat. */
export async function rollback(slug: string, version: string | undefined, options: RemoteOptions): Promise<void> {
  await reportRefusal(options, async () => {
    const answer = await askPortal<RolledBack>(options.url, `/apps/${encodeURIComponent(slug)}/rollback`, { version })
    print(options, answer, ({ version: now, rolled_back, moved }) => [
      `${slug} ${rolled_back} is taken back: ${moved} installations run ${now}`,
    ])
  })
}
