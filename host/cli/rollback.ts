import { askPortal, print, Refused, type RemoteOptions, reportRefusal } from './operator-client.ts'

type RolledBack = { version: string; rolled_back: string; moved: number }
type Version = { version: string; published_at: string | null }

/** Code only: tables keep what migrations made of them. With a version, that one or none: safe to repeat. */
export async function rollback(slug: string, version: string | undefined, options: RemoteOptions): Promise<void> {
  const app = `/apps/${encodeURIComponent(slug)}`
  await reportRefusal(options, async () => {
    const answer = await askPortal<RolledBack>(options.url, `${app}/rollback`, { version }).catch(async (error) => {
      if (!(error instanceof Refused) || error.code !== 'invalid_state') throw error
      const { data } = await askPortal<{ data: Version[] }>(options.url, `${app}/versions`)
      throw new Refused(whyNot(slug, version, data), error.report, error.code)
    })
    print(options, answer, ({ version: now, rolled_back, moved }) => [
      `${slug} ${rolled_back} is taken back: ${moved} installations run ${now}`,
    ])
  })
}

/** What is published stands in the way: it is another version than the one meant, or came meanwhile, or there is none before it. */
function whyNot(slug: string, meant: string | undefined, versions: readonly Version[]): string {
  const published = versions.filter((one) => one.published_at !== null)
  const publishedAt = ({ published_at }: Version) => Date.parse(published_at ?? '')
  const current = published.sort((one, other) => publishedAt(other) - publishedAt(one))[0]?.version
  if (current === undefined) return `${slug} has no published version`
  if (meant !== undefined && meant !== current) return `the published version of ${slug} is ${current}, not ${meant}`
  if (published.length > 1) return `another version of ${slug} became the published one meanwhile: it is ${current} now`
  return `${slug} has no version before ${current} to go back to`
}
