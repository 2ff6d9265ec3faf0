import type { KeyObject } from 'node:crypto'
import type pg from 'pg'
import type { Row, Statement } from '../database/pipeline.ts'
import type { TenantPool } from '../database/tenant-pool.ts'
import { withTransaction } from '../database/transaction.ts'
import { uuid7 } from '../events/uuid7.ts'
import { type Certificate, signCertificate } from './certificate.ts'
import { erasableTables, survivors } from './erasable-tables.ts'
import { holdTime } from './uninstall.ts'

export type ErasureContext = {
  /** The core role's connections: each sees every table of one tenant. */
  core: TenantPool
  /** The system role's pool: it finds what is due over all tenants. */
  system: pg.Pool
  clock: () => Date
  signingKey: KeyObject
  /** Removes one school's rows from a module's schema. Answers with the count of each table, a repeat with the same. */
  eraseModuleRows: (of: EndedInstallation) => Promise<Record<string, number>>
  /** Removes an app's files at one school. Answers with their names. */
  eraseFiles: (tenantId: string, slug: string) => Promise<string[]>
  /** Told of an installation that could not be erased. */
  failed: (installationId: string, error: unknown) => void
}

export type EndedInstallation = {
  tenantId: string
  slug: string
  installationId: string
  /** Asked when it is its turn: whether the school has the app again, whose rows then stay. */
  isKept?: () => Promise<boolean>
}

type Due = {
  tenant_id: string
  tenant_number: number
  id: string
  app_id: string
  slug: string
  installed_at: Date
  uninstalled_at: Date
}

/**
 * Erases every installation whose hold is over. Answers with the certificates. What fails, or is cut short by a crash,
 * is made good next time and keeps no other waiting.
 */
export async function eraseDueInstallations(context: ErasureContext): Promise<Certificate[]> {
  const heldSince = new Date(context.clock().getTime() - holdTime)
  const { rows } = await context.system.query<{ id: string }>(
    `select id from core.installations where status = 'uninstalled' and uninstalled_at <= $1 order by uninstalled_at`,
    [heldSince],
  )
  const certificates: Certificate[] = []
  for (const { id } of rows) {
    try {
      const due = await readDue(context.system, id)
      if (due) certificates.push(await eraseInstallation(context, due, heldSince))
    } catch (error) {
      context.failed(id, error)
    }
  }
  return certificates
}

/** Null: another host was quicker. */
async function readDue(system: pg.Pool, id: string): Promise<Due | null> {
  const { rows } = await system.query<Due>(
    `select i.tenant_id, t.number as tenant_number, i.id, i.app_id, a.slug, i.installed_at, i.uninstalled_at
      from core.installations i join core.tenants t on t.id = i.tenant_id join core.apps a on a.id = i.app_id
      where i.id = $1`,
    [id],
  )
  return rows[0] ?? null
}

/**
 * Whether the school has the app again: asked when it matters, since it may install it while others are erased, or while
 * this erasure waits for its turn. An installation that followed counts until its own hold is over.
 */
const installedAgain = (due: Due, heldSince: Date): Statement => ({
  text: `select exists (select from core.installations
    where tenant_id = $1 and app_id = $2 and id <> $3 and (status <> 'uninstalled' or uninstalled_at > $4)) as again`,
  values: [due.tenant_id, due.app_id, due.id, heldSince],
})

/** What belongs to the app at the school, its schema included, stays where the school has installed the app again. */
async function eraseInstallation(context: ErasureContext, due: Due, heldSince: Date): Promise<Certificate> {
  const again = installedAgain(due, heldSince)
  const isKept = async () =>
    (await context.system.query<{ again: boolean }>(again.text, [...again.values])).rows[0]!.again
  const ended = { tenantId: due.tenant_id, slug: due.slug, installationId: due.id, isKept }
  const moduleTables = await context.eraseModuleRows(ended)
  const files = (await isKept()) ? [] : await context.eraseFiles(due.tenant_id, due.slug)
  return withTransaction(context.core, due.tenant_id, async ({ run }) => {
    const [found] = await run([again])
    const wholeApp = !found![0]!.again
    const tables = await eraseRows(run, due, wholeApp)
    const [since] = await run([again])
    // What it wrote meanwhile may be among what was taken: nothing is, and the next time knows.
    if (wholeApp && since![0]!.again) throw new Error('the school installed the app while it was being erased')
    const residue = await findResidue(run, due, wholeApp)
    if (Object.keys(residue).length > 0) throw new Error(`erasure left rows in ${Object.keys(residue).join(', ')}`)
    const certificate: Certificate = {
      version: 1,
      id: uuid7(context.clock()),
      tenant_id: due.tenant_number,
      app: due.slug,
      installation_id: due.id,
      installed_at: due.installed_at.toISOString(),
      uninstalled_at: due.uninstalled_at.toISOString(),
      erased_at: context.clock().toISOString(),
      removed: { tokens: tables.installation_tokens ?? 0, tables, module_tables: moduleTables, files },
      app_data_kept: wholeApp ? null : 'The school installed the app again; its data belongs to that installation.',
      residue,
      survives: [
        ...Object.entries(survivors).map(([what, why]) => ({ what, why })),
        ...(await findKept(run, due, wholeApp)),
        { what: 'backups', why: 'They end with their own retention.' },
      ],
    }
    const { text, signature } = signCertificate(certificate, context.signingKey)
    await run([
      {
        text: `insert into core.erasure_certificates (tenant_id, id, app, installation_id, issued_at, certificate, signature)
          values ($1, $2, $3, $4, $5, $6, $7)`,
        values: [due.tenant_id, certificate.id, due.slug, due.id, context.clock(), text, signature],
      },
    ])
    return certificate
  })
}

type Run = (statements: Statement[]) => Promise<Row[][]>

async function eraseRows(run: Run, due: Due, byApp: boolean): Promise<Record<string, number>> {
  const values = [due.tenant_id, due.id, due.slug]
  const removed: Record<string, number> = {}
  const remove = async (table: string, condition: string, given: unknown[]) => {
    const text = `with gone as (delete from core.${table} where ${condition} returning 1) select count(*)::int as count from gone`
    const [rows] = await run([{ text, values: given }])
    const count = rows![0]!.count as number
    if (count > 0) removed[table] = (removed[table] ?? 0) + count
  }
  // An event is shared by its receivers: it goes with the last of them.
  await remove(
    'events',
    `tenant_id = $1 and id in (select event_id from core.deliveries where tenant_id = $1 and installation_id = $2)
      and not exists (select from core.deliveries d where d.tenant_id = $1 and d.event_id = events.id and d.installation_id <> $2)`,
    [due.tenant_id, due.id],
  )
  for (const { table, condition } of await erasableTables(run, { byApp })) await remove(table, condition, values)
  await remove('installations', 'tenant_id = $1 and id = $2', [due.tenant_id, due.id])
  return removed
}

/** Rows that the app made and the school keeps, as the certificate names them. */
async function findKept(run: Run, due: Due, byApp: boolean): Promise<Certificate['survives']> {
  const tables = (await erasableTables(run, { byApp })).flatMap(({ table, kept }) => (kept ? [{ table, ...kept }] : []))
  const counts = await countRows(run, due, tables)
  return tables
    .map(({ table, why }, index) => ({ what: table, why, count: counts[index]! }))
    .filter(({ count }) => count > 0)
    .map(({ what, why, count }) => ({ what, why: `${why} Rows: ${count}.` }))
}

/** Looks through every table again. Answers with the count of each that still holds something. */
async function findResidue(run: Run, due: Due, byApp: boolean): Promise<Record<string, number>> {
  const tables = [
    ...(await erasableTables(run, { byApp })),
    { table: 'installations', condition: 'tenant_id = $1 and id = $2 and $3::text is not null' },
  ]
  const counts = await countRows(run, due, tables)
  const found = tables.map(({ table }, index) => [table, counts[index]!] as const)
  return Object.fromEntries(found.filter(([, count]) => count > 0))
}

async function countRows(run: Run, due: Due, tables: { table: string; condition: string }[]): Promise<number[]> {
  const found = await run(
    tables.map(({ table, condition }) => ({
      text: `select count(*)::int as count from core.${table} where ${condition}`,
      values: [due.tenant_id, due.id, due.slug],
    })),
  )
  return found.map((rows) => rows[0]!.count as number)
}
