import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { slugForm, slugPattern } from '../../policy/manifest/fields.ts'
import { checkMigrations, describeCheck } from '../../policy/migrations/check.ts'
import { coreTables } from '../builder/core-tables.ts'
import { askPortal, print, type RemoteOptions, reportRefusal } from './operator-client.ts'

/** What an import of a module's folder into an empty schema would do. */
export async function check(dir: string, { json }: { json?: boolean }): Promise<void> {
  const schema = `m_${moduleIdOf(join(dir, 'manifest.json'))}`
  const checked = await checkMigrations(join(dir, 'migrations'), { schema, runtimeRole: `${schema}_rt`, coreTables })
  const plans = checked.plans.map(({ file, version, ok, statements }) => ({ file, version, ok, statements }))
  const { skipped, findings } = checked
  process.stdout.write(json ? `${JSON.stringify({ plans, skipped, findings })}\n` : describeCheck(checked))
  process.exitCode = checked.exitCode
}

/** Names of schema and roles are made of it. */
function moduleIdOf(path: string): string {
  const manifest: unknown = JSON.parse(readFileSync(path, 'utf8'))
  const { moduleId } = (manifest ?? {}) as { moduleId?: unknown }
  if (typeof moduleId === 'string' && slugPattern.test(moduleId)) return moduleId
  throw new Error(`${path} has no usable moduleId: it takes ${slugForm}`)
}

type Entry = { version: string; name: string; release: string; applied_at: string }

/** What is applied to an app's tables, in the sandbox and for schools. */
export async function status(slug: string, options: RemoteOptions): Promise<void> {
  await reportRefusal(options, async () => {
    const answer = await askPortal<{ migrations: Record<string, Entry[]> }>(
      options.url,
      `/apps/${encodeURIComponent(slug)}/migrations`,
    )
    print(options, answer, ({ migrations }) =>
      Object.entries(migrations).flatMap(([kind, entries]) => [
        `${kind}: ${entries.length} applied`,
        ...entries.map(({ version, name, release }) => `  ${version}_${name}  (${release})`),
      ]),
    )
  })
}
