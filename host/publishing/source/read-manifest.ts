import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { duplicateKeys } from '../../../policy/manifest/duplicate-keys.ts'
import { jsonFault } from '../../../policy/manifest/json-fault.ts'
import { isStorableJson } from '../../../partner-services/service/schemas.ts'
import { effectiveManifest } from '../../lifecycle/effective-manifest.ts'
import type { CatalogEntry } from '../../lifecycle/notification-catalog.ts'
import type { AppRecord } from '../../lifecycle/records.ts'
import type { HostRules, ReportedFinding } from '../../builder/messages.ts'
import { fileFinding, fromManifest, refused } from '../refused.ts'
import type { SourceFiles } from './source-files.ts'
import type { Workbench } from './workshop.ts'

/** What publishing itself reads of a manifest; the whole of it was checked by the policy's schema. */
export type Manifest = Record<string, unknown> & {
  moduleId: string
  displayName: string | { ar: string; en: string }
  version: string
  integrationType: AppRecord['integrationType']
  scopes: { key: string; required: boolean; reason: string }[]
  notifications: CatalogEntry[]
  account_types?: { web_route?: string }[]
  external?: { webhookUrl?: string; webhookEvents: string[]; redirectUrls: string[] }
}

export type ReadManifest = {
  /** As its author wrote it. */
  declared: Record<string, unknown>
  /** With what the app declares for all versions, and with defaults. Absent where it is refused. */
  manifest?: Manifest
  findings: ReportedFinding[]
}

const name = 'manifest.json'
const longestManifest = 512 * 1_024

/** Its form alone, in this process: the checks are the builder's. */
export function parseManifest(files: SourceFiles): Record<string, unknown> {
  const refusal = (message: string, place?: { line: number; column: number }) =>
    refused(`${name} is ${message}`, [{ ...fileFinding('manifest-not-json', name, message), ...place }])
  const content = Object.hasOwn(files, name) ? files[name] : undefined
  if (content === undefined) throw refusal('missing')
  const text = Buffer.from(content, 'base64').toString('utf8')
  if (text.length > longestManifest) throw refusal('too long')
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch (error) {
    const { message, ...place } = jsonFault(text, error)
    throw refusal(`no JSON: ${message}`, place)
  }
  if (typeof json !== 'object' || json === null || Array.isArray(json)) throw refusal('no JSON object')
  const [twice] = duplicateKeys(text)
  if (twice) {
    const message = `\`${twice.key}\` is a key of one object twice`
    throw refused(`${name}: ${message}`, [{ ...fileFinding('manifest-duplicate', name, message), line: twice.line }])
  }
  if (!isStorableJson(json)) throw refusal('no text that can be stored: it holds NUL, or half a character')
  return json as Record<string, unknown>
}

/** Checked against schema and catalog, blank fields filled with the app's own declarations. */
export async function readManifest(
  { folder, builder }: Workbench,
  declared: Record<string, unknown>,
  declarations: Record<string, unknown>,
  rules: HostRules,
): Promise<ReadManifest> {
  const inherits = Object.keys(declarations).length > 0
  const effective = inherits ? effectiveManifest(declarations, declared) : declared
  // The scan reads the manifest that will hold.
  if (inherits) writeFileSync(join(folder, name), JSON.stringify(effective, null, 2))
  const { manifest, findings } = await builder.ask('manifest', { json: effective, ...rules })
  return {
    declared,
    ...(manifest ? { manifest: manifest as Manifest } : {}),
    findings: findings.map((finding) => fromManifest(name, finding)),
  }
}
