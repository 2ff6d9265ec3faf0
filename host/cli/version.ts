import type { Finding } from '../../policy/finding.ts'
import { printableEntry } from '../../policy/printable.ts'
import { findingLine } from './finding-line.ts'
import { askPortal, print, type RemoteOptions, reportRefusal } from './operator-client.ts'

type Version = {
  version: string
  state: string
  report?: { findings?: Finding[] }
  comments?: { author: string; state: string; body: string }[]
}
type VersionOptions = RemoteOptions & { comment?: string }

const pathOf = (slug: string, version: string) =>
  `/apps/${encodeURIComponent(slug)}/versions/${encodeURIComponent(version)}`

/** A version with its report and what was said about it. */
export async function show(slug: string, version: string, options: RemoteOptions): Promise<void> {
  await reportRefusal(options, async () => {
    const answer = await askPortal<{ version: Version }>(options.url, pathOf(slug, version))
    print(options, answer, ({ version: { state, report, comments } }) => [
      `${slug} ${version}: ${state}`,
      ...(report?.findings ?? []).map(findingLine),
      ...(comments ?? []).map(({ author, state: at, body }) => printableEntry(`  ${author} (${at}): ${body}`)),
    ])
  })
}

/** One step of a version's way: submit, start-review, approve, reject, reopen, publish, comments. */
export async function step(name: string, slug: string, version: string, options: VersionOptions): Promise<void> {
  await reportRefusal(options, async () => {
    const body = options.comment === undefined ? {} : { comment: options.comment }
    const answer = await askPortal<{ version?: Version }>(options.url, `${pathOf(slug, version)}/${name}`, body)
    print(options, answer, (given) => [`${slug} ${version}: ${given.version?.state ?? 'noted'}`])
  })
}

export async function removeDraft(slug: string, version: string, options: RemoteOptions): Promise<void> {
  await reportRefusal(options, async () => {
    const answer = await askPortal<object>(options.url, pathOf(slug, version), undefined, 'DELETE')
    print(options, answer, () => [`the draft ${slug} ${version} is deleted`])
  })
}
