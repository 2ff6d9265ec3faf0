import { isUtf8 } from 'node:buffer'
import { lstatSync, readFileSync } from 'node:fs'
import { readdir, realpath } from 'node:fs/promises'
import path from 'node:path'
import type { Finding } from '../finding.ts'
import type { FileKind } from '../rules/support/lint-rule.ts'

export type FileLimits = { readonly fileBytes: number; readonly files: number }
export type SourceFile = { readonly file: string; readonly bytes: Buffer; readonly kind: FileKind }

const sourceName = /\.(ts|tsx|mts|cts|js|jsx|mjs|cjs)$/
const testName = /(^|\/)(test|tests|__tests__)\/|\.(test|spec)\.[cm]?[jt]sx?$/
const skippedFolders = new Set(['node_modules', '.git'])
const environmentName = /^\.env(\..*)?$/

export type Listing = { readonly names: readonly string[]; readonly findings: readonly Finding[] }

/** All files of a module's folder, links not followed; a link, or a file beside the code that holds secrets, is a finding. */
export async function listFiles(dir: string, limits: FileLimits): Promise<Listing> {
  const names: string[] = []
  const findings: Finding[] = []
  const visit = async (folder: string): Promise<void> => {
    const entries = await readdir(path.join(dir, folder), { withFileTypes: true })
    for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      const name = folder === '' ? entry.name : `${folder}/${entry.name}`
      if (skippedFolders.has(entry.name)) continue
      if (names.length > limits.files) return
      if (entry.isSymbolicLink()) findings.push(await linkFinding(dir, name))
      else if (entry.isDirectory()) await visit(name)
      else if (environmentName.test(entry.name)) findings.push(environmentFinding(name))
      else if (entry.isFile()) names.push(name)
    }
  }
  await visit('')
  if (names.length > limits.files) findings.push(tooMany(limits.files))
  return { names, findings }
}

/** Whether the bundle takes a file as code: esbuild does so by these endings, and where a name has none. */
export function isCode(file: string): boolean {
  return /\.[cm]?[jt]sx?$/.test(file) || !path.posix.basename(file).includes('.')
}

/** The files the scan looks at without being led there: tests are left out unless something of the bundle imports them. */
export function sourceNames(names: readonly string[]): string[] {
  return names.filter((name) => sourceName.test(name) && !name.endsWith('.d.ts') && !isTest(name))
}

export function isTest(name: string): boolean {
  return testName.test(name)
}

/** Whether a file belongs to an installed package; a folder whose name only ends so is like any other. */
export const isPackaged = (name: string): boolean => /(^|\/)node_modules\//.test(name)

export function kindOf(name: string): FileKind {
  if (isPackaged(name)) return 'dependency'
  return name.startsWith('mobile/') ? 'mobile' : 'own'
}

/** Reads a source that is text, or says why it cannot be one. */
export function readSource(dir: string, file: string, limits: FileLimits): SourceFile | Finding {
  const kind = kindOf(file)
  const full = path.join(dir, file)
  const { size } = lstatSync(full)
  const most = kind === 'dependency' ? limits.fileBytes * 4 : limits.fileBytes
  if (size > most) {
    const message = `This file has ${size} bytes; at most ${most} can be reviewed.`
    return finding('file-too-large', file, 1, message, 'Split it, or load the data from the database.')
  }
  const bytes = readFileSync(full)
  if (isUtf8(bytes) && !bytes.includes(0)) return { file, bytes, kind }
  const line = lineOfFirstBadByte(bytes)
  return finding(
    'file-not-text',
    file,
    line,
    'This file is no UTF-8 text, whatever its name says.',
    'Remove it, or save it as UTF-8.',
  )
}

/** The text of a source, without the mark some editors put at its beginning. */
export function textOf({ bytes }: SourceFile): string {
  return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
}

export function isFinding(value: SourceFile | Finding): value is Finding {
  return 'rule' in value
}

function lineOfFirstBadByte(bytes: Buffer): number {
  const nul = bytes.indexOf(0)
  const text = bytes.subarray(0, nul < 0 ? undefined : nul).toString('utf8')
  const bad = text.indexOf('\uFFFD')
  return text.slice(0, bad < 0 ? undefined : bad).split('\n').length
}

async function linkFinding(dir: string, file: string): Promise<Finding> {
  const target = await realpath(path.join(dir, file)).catch(() => undefined)
  const outside = target === undefined || path.relative(await realpath(dir), target).startsWith('..')
  const where = outside ? "out of the module's folder or to nowhere" : 'to another file of the module'
  return finding(
    'link-outside',
    file,
    1,
    `This symbolic link leads ${where}; links are not followed.`,
    'Put the file itself here.',
  )
}

function environmentFinding(file: string): Finding {
  const mend = 'Delete it, revoke what it holds, and declare the settings in `settings_schema` of the manifest.'
  return finding('environment-file', file, 1, 'An environment file would be published with the module.', mend)
}

function tooMany(most: number): Finding {
  return finding(
    'too-many-files',
    '.',
    1,
    `The folder holds more than ${most} files.`,
    'Leave out what the module does not need.',
  )
}

export function finding(rule: string, file: string, line: number, message: string, fix: string): Finding {
  return { rule, severity: 'error', file, line, column: 1, message, fix }
}
