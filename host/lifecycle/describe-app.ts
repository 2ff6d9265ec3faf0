import type { AppRecord, Db, VersionRecord } from './records.ts'

type Described = {
  displayName: string | { ar: string; en: string }
  external?: { webhookUrl?: string; webhookEvents: string[]; redirectUrls: string[] }
}

export const shownName = ({ displayName }: Pick<Described, 'displayName'>): string =>
  typeof displayName === 'string' ? displayName : displayName.en

/** Name, webhook and redirect URLs of an app are those of its current version, whichever way that became current. */
export async function describeApp(
  db: Db,
  app: Pick<AppRecord, 'id'>,
  version: Pick<VersionRecord, 'manifest'>,
): Promise<void> {
  const { external, ...manifest } = version.manifest as Described
  await db.query(
    `update core.apps set display_name = $2, webhook_url = $3, webhook_events = $4, redirect_urls = $5 where id = $1`,
    [
      app.id,
      shownName(manifest),
      external?.webhookUrl ?? null,
      external?.webhookEvents ?? [],
      external?.redirectUrls ?? [],
    ],
  )
}
