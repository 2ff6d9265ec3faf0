import type { Finding } from '../../policy/finding.ts'
import { printableEntry } from '../../policy/printable.ts'
import { stepsFrom, type VersionState } from '../lifecycle/states.ts'
import { findingLine } from './finding-line.ts'
import { askPortal, print, Refused, type RemoteOptions, reportRefusal } from './operator-client.ts'

type Version = {
  version: string
  state: VersionState
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
      ...stateLines(slug, version, state),
      ...(report?.findings ?? []).map(findingLine),
      ...(comments ?? []).map(({ author, state: at, body }) => printableEntry(`  ${author} (${at}): ${body}`)),
    ])
  })
}

/** One step of a version's way: submit, start-review, approve, reject, reopen, publish, comments. */
export async function step(name: string, slug: string, version: string, options: VersionOptions): Promise<void> {
  await reportRefusal(options, async () => {
    const body = options.comment === undefined ? {} : { comment: options.comment }
    const path = pathOf(slug, version)
    const answer = await askPortal<{ version?: Version }>(options.url, `${path}/${name}`, body).catch((error) =>
      throwWithState(error, () => askPortal<{ version: Version }>(options.url, path)),
    )
    print(options, answer, (given) =>
      given.version ? stateLines(slug, version, given.version.state) : [`${slug} ${version}: noted`],
    )
  })
}

/** A version's state, and below it what leads on from there. */
export function stateLines(slug: string, version: string, state: VersionState): string[] {
  const next = stepsFrom(state).map(
    ({ step, by }) => `  next: partner version ${step} ${slug} ${version}${by === 'reviewer' ? " (a reviewer's)" : ''}`,
  )
  return [`${slug} ${version}: ${state}`, ...next]
}

/** A step that the version's state does not allow is refused with that state. */
async function throwWithState(error: unknown, ask: () => Promise<{ version: Version }>): Promise<never> {
  if (!(error instanceof Refused) || error.code !== 'invalid_state') throw error
  const { version, state } = (await ask()).version
  const steps = stepsFrom(state).map(({ step }) => step)
  const next = steps.length > 0 ? `, which only ${steps.join(' or ')} leads on from` : ''
  throw new Refused(`version ${version} is ${state}${next}`, error.report, error.code)
}

export async function removeDraft(slug: string, version: string, options: RemoteOptions): Promise<void> {
  await reportRefusal(options, async () => {
    const answer = await askPortal<object>(options.url, pathOf(slug, version), undefined, 'DELETE')
    print(options, answer, () => [`the draft ${slug} ${version} is deleted`])
  })
}
