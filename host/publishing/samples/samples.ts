import { existsSync, readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { withSession } from '../../database/with-session.ts'
import { higherPublished } from '../../lifecycle/version-order.ts'
import { parseManifest } from '../source/read-manifest.ts'
import { registerRegistrar } from './registrar.ts'
import type { PublisherContext } from '../publisher-context.ts'
import { isError, refusalOf } from '../refused.ts'
import { installInOwnSandbox, installInSharedSandbox } from './sandbox-installs.ts'
import { seedAppSandboxes } from '../../seeds/app-sandbox.ts'
import { hashOfSource, readSourceFiles, type SourceFiles } from '../source/source-files.ts'
import type { Workshop } from '../source/workshop.ts'

const modulesFolder = fileURLToPath(new URL('../../../modules/', import.meta.url))

type Sample = { slug: string; files: SourceFiles; sourceHash: string }

const lockSpace = 7_414

/** Begins to read the modules of `modules/` while the database is still being made. */
export function readSamplesAhead(workshop: Workshop): void {
  workshop.readAhead(sampleSlugs().map((slug) => readSourceFiles(`${modulesFolder}${slug}`)))
}

/**
 * Publishes the modules of `modules/` and installs them, and the external app `registrar`, in the sandbox school, which may
 * still be being seeded.
 */
export async function publishSamples(context: PublisherContext, school: Promise<void>): Promise<void> {
  // Their builders work side by side; each reads, bundles and plans in processes of its own.
  const slugs = sampleSlugs()
  const seeded = seedAppSandboxes(context.core, context.keys.forms, slugs, school)
  await Promise.all(slugs.map((slug, index) => publishSample(context, slug, Promise.all([school, seeded[index]]))))
  await registerRegistrar(context)
}

const sampleSlugs = (): string[] =>
  readdirSync(modulesFolder)
    .filter((name) => existsSync(`${modulesFolder}${name}/manifest.json`))
    .sort()

async function publishSample(context: PublisherContext, slug: string, schools: Promise<unknown>): Promise<void> {
  // Passwords are hashed while the builder works.
  await Promise.all([publishNew(context, slug).catch((error) => tellRefusal(slug, error)), schools])
  await Promise.all([installInSharedSandbox(context, slug), installInOwnSandbox(context, slug)])
}

/**
 * Publishes a sample unless this very source, or a higher version, is published already, by another host, meanwhile, too; or
 * somebody decided that schools do not get it.
 */
async function publishNew(context: PublisherContext, slug: string): Promise<void> {
  const files = readSourceFiles(`${modulesFolder}${slug}`)
  const sample = { slug, files, sourceHash: hashOfSource(files) }
  if (!(await isNew(context, sample))) return
  await withSession(context.credential, async (session) => {
    await session.query('select pg_advisory_lock($1, hashtext($2))', [lockSpace, slug])
    if (!(await isNew(context, sample))) return
    const { publish } = await import('../publish.ts')
    const actor = { kind: 'operator' } as const
    await publish(context, { ...sample, actor, approve: true, renameTaken: true })
  })
}

async function isNew(context: PublisherContext, { slug, files, sourceHash }: Sample): Promise<boolean> {
  const { rows } = await context.system.query<{ id: string; hash: string | null }>(
    `select a.id, v.scan ->> 'sourceHash' as hash from core.app_versions v join core.apps a on a.id = v.app_id
      where a.slug = $1 and v.state = 'published' order by v.published_at desc limit 1`,
    [slug],
  )
  const [current] = rows
  if (current?.hash === sourceHash) return false
  const refusedVersion = await refusedBySomebody(context, { slug, sourceHash })
  if (refusedVersion !== null) {
    context.logger.warn({ slug, refused: refusedVersion }, 'this sample was rolled back or rejected: it is left so')
    return false
  }
  const higher = current ? await higherPublished(context.system, current, String(parseManifest(files).version)) : null
  if (higher === null) return true
  context.logger.warn({ slug, published: higher }, 'this sample is older than what schools have')
  return false
}

/** The version of this source that a roll-back took from schools, or a review rejected. */
async function refusedBySomebody(
  { system }: PublisherContext,
  { slug, sourceHash }: Pick<Sample, 'slug' | 'sourceHash'>,
): Promise<string | null> {
  const { rows } = await system.query<{ version: string }>(
    `select v.version from core.app_versions v join core.apps a on a.id = v.app_id
      where a.slug = $1 and v.scan ->> 'sourceHash' = $2 and (v.state = 'rejected' or v.state = 'approved' and exists (
        select from core.version_moves m where m.version_id = v.id and m.from_state = 'published')) limit 1`,
    [slug, sourceHash],
  )
  return rows[0]?.version ?? null
}

/** A start that fails for a sample names the line: there is no report that somebody could look at. */
function tellRefusal(slug: string, error: unknown): never {
  const { message, findings } = refusalOf(error)
  const first = findings.find(isError)
  const where = first ? ` (${first.file}:${first.line}: ${first.message})` : ''
  throw new Error(`the sample module modules/${slug} was refused: ${message}${where}`)
}
