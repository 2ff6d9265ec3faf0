import type { Comment } from '../moves.ts'
import type { CatalogEntry } from '../notification-catalog.ts'
import type { AppRecord, VersionRecord } from '../records.ts'

/** An app as its partner sees it. */
export const appView = (app: AppRecord) => ({
  slug: app.slug,
  display_name: app.displayName,
  integration_type: app.integrationType,
  declarations: app.declarations,
})

/** One line of a list of versions. */
export const versionLine = ({ version, state, createdAt, publishedAt }: VersionRecord) => ({
  version,
  state,
  created_at: createdAt,
  published_at: publishedAt,
})

/** A version whole: what its reviewer and its partner look at. */
export const versionView = (version: VersionRecord, more: { comments: Comment[]; notifications: CatalogEntry[] }) => ({
  ...versionLine(version),
  manifest: version.manifest,
  contributions: version.contributions,
  bundle_hash: version.bundleHash,
  report: version.report,
  ...more,
})
