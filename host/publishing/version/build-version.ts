import { codeHere } from '../../../policy/manifest/hosting.ts'
import type { AppRecord } from '../../lifecycle/records.ts'
import type { ReviewReport } from '../../lifecycle/report.ts'
import { type BuildResult, type BuiltCode, buildCode } from './build-code.ts'
import { checkContributions } from './check-contributions.ts'
import { type CheckedMigrations, checkMigrations } from './check-migrations.ts'
import type { PublisherContext } from '../publisher-context.ts'
import { type Manifest, parseManifest, readManifest } from '../source/read-manifest.ts'
import { fileFinding, isError, refused } from '../refused.ts'
import type { SourceFiles } from '../source/source-files.ts'
import type { Workbench } from '../source/workshop.ts'

/** All that a version is made of, checked and not yet stored. */
export type BuiltVersion = {
  declared: Record<string, unknown>
  manifest: Manifest
  /** Null for an app that is hosted elsewhere. */
  code: BuiltCode | null
  report: ReviewReport
  scan: 'clean' | 'warnings'
}

/** Manifest → scan → bundle → discovery → migrations check. Throws a ReportedError with every error that was found. */
export async function buildVersion(
  context: PublisherContext,
  bench: Workbench,
  files: SourceFiles,
  app: AppRecord | null,
): Promise<BuiltVersion> {
  const rules = { allowLoopback: context.settings.ALLOW_LOOPBACK_CALLBACKS }
  const {
    declared,
    manifest: written,
    findings: shape,
  } = await readManifest(bench, parseManifest(files), app?.declarations ?? {}, rules)
  if (!written) {
    const { findings } = await bench.builder.ask('scan', rules)
    const located = findings.filter(({ file, severity }) => file === 'manifest.json' && severity === 'error')
    throw refused('the manifest is refused', located.length > 0 ? located : shape)
  }
  if (app) refuseOtherApp(app, written)
  const hosted = Object.hasOwn(files, 'src/index.ts')
  const [scan, built, migrations] = await Promise.all([
    isManifestAlone(files, written) ? manifestAlone(written) : bench.builder.ask('scan', rules),
    hosted ? buildCode(context, written.moduleId, bench) : notHosted,
    checkMigrations(context, written.moduleId, bench),
  ])
  const code = built.code ?? null
  const { manifest, findings: contributed } = code
    ? await checkContributions(bench, written, code.contributions, rules)
    : { manifest: written, findings: [] }
  const errors = [...built.findings, ...contributed, ...scan.findings, ...migrations.findings].filter(isError)
  if (errors.length > 0) throw refused(built.message ?? 'the module is refused by the policy', errors)
  const warnings = [...scan.findings, ...migrations.findings]
  return {
    declared,
    manifest: code ? { ...manifest, ...databaseOf(migrations) } : manifest,
    code,
    scan: warnings.length > 0 ? 'warnings' : 'clean',
    report: {
      checked_at: context.clock().toISOString(),
      findings: warnings,
      scopes: scan.scopes,
      migrations: migrations.migrations,
      ...(code ? { bundle: { hash: code.hash, bytes: code.code.length, files: code.files } } : {}),
    },
  }
}

/** There is no code that the manifest could disagree with, and none is needed. */
const isManifestAlone = (files: SourceFiles, manifest: Manifest): boolean =>
  Object.keys(files).length === 1 && codeHere(manifest) !== 'needed'

const manifestAlone = ({ scopes }: Manifest) => ({
  findings: [],
  scopes: { used: [], declared: scopes.map(({ key }) => key), unused: [], undeclared: [] },
})

/** What a manifest says of its database comes from its files. Source: specification, app manifest. */
const databaseOf = ({ migrations }: CheckedMigrations) => ({
  requiresDatabase: migrations.length > 0,
  migrations: migrations.map(({ file }) => {
    const [, version, name] = /^(\d{4}_\d{2}_\d{2}_\d{6})_(.+)\.(?:php|sql)$/.exec(file)!
    return { version, name }
  }),
})

const notHosted: BuildResult = { findings: [] }

/** The integration type is chosen when an app is created. Source: specification, integration types. */
function refuseOtherApp(app: AppRecord, { moduleId, integrationType }: Manifest): void {
  const refuse = (rule: string, message: string) => refused(message, [fileFinding(rule, 'manifest.json', message)])
  if (moduleId !== app.slug) throw refuse('manifest-shape', `moduleId is ${app.slug} and cannot change`)
  if (integrationType !== app.integrationType)
    throw refuse('cannot_edit_published', `integrationType of ${app.slug} is ${app.integrationType} and cannot change`)
}
