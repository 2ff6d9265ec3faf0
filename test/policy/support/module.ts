import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { TestContext } from 'node:test'
import type { ScanReport } from '../../../policy/finding.ts'
import type { LimitedScan } from '../../../policy/scan/scan.ts'
import { catalog, operations } from './catalog.ts'
import { scan } from './scan.ts'

export type Files = Readonly<Record<string, string | Buffer>>

/** A manifest that is right for an embedded module, with what the test wants changed. */
export function manifest(changes: Record<string, unknown> = {}): string {
  const plain = {
    moduleId: 'clubs',
    displayName: 'Clubs',
    version: '1.0.0',
    category: 'education',
    description: 'Clubs after school',
    integrationType: 'embedded',
    scopes: [],
    ...changes,
  }
  return JSON.stringify(plain, null, 2)
}

export function requesting(...keys: string[]): { scopes: { key: string; required: boolean; reason: string }[] } {
  return { scopes: keys.map((key) => ({ key, required: true, reason: 'The club list shows who takes part' })) }
}

/** A folder with these files, gone after the test. */
export async function moduleFolder(context: TestContext, files: Files): Promise<string> {
  const dir = await mkdtemp(path.join(tmpdir(), 'partner-scan-'))
  context.after(() => rm(dir, { recursive: true, force: true }))
  await writeFiles(dir, files)
  return dir
}

export async function writeFiles(dir: string, files: Files): Promise<void> {
  for (const [name, content] of Object.entries(files)) {
    await mkdir(path.dirname(path.join(dir, name)), { recursive: true })
    await writeFile(path.join(dir, name), content)
  }
}

export async function scanFiles(
  context: TestContext,
  files: Files,
  input: Partial<LimitedScan> = {},
): Promise<ScanReport> {
  const dir = await moduleFolder(context, { 'manifest.json': manifest(), ...files })
  return scan(dir, { catalog, operations, ...input })
}

/** `rule file:line` of every finding, for short comparisons. */
export function brief(report: ScanReport): string[] {
  return report.findings.map((finding) => `${finding.rule} ${finding.file}:${finding.line}`)
}
