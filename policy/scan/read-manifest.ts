import { lstat, readFile } from 'node:fs/promises'
import path from 'node:path'
import type { Finding } from '../finding.ts'
import type { ManifestOptions } from '../manifest/check.ts'
import { declaredIn } from '../manifest/declared.ts'
import { duplicateKeys } from '../manifest/duplicate-keys.ts'
import { codeHere } from '../manifest/hosting.ts'
import { jsonFault } from '../manifest/json-fault.ts'
import { lineOfPath, pathParts } from '../manifest/locate.ts'
import { severityOf } from '../rules/index.ts'
import type { Declared } from '../scopes/analyse.ts'
import { type Cache, cacheKey } from './cache.ts'
import { finding } from './files.ts'

const name = 'manifest.json'
const mostBytes = 512 * 1024

export type ReadManifest = {
  readonly declared: Declared
  readonly code: ReturnType<typeof codeHere>
  readonly findings: readonly Finding[]
}

type KeptManifest = { readonly key: string; readonly manifest: ReadManifest }

/** The manifest's own verdicts, and what of it the code must agree with. */
export async function readManifest(
  dir: string,
  names: readonly string[],
  options: ManifestOptions,
  cache: Cache | undefined,
): Promise<ReadManifest> {
  if (!names.includes(name))
    return refused(
      finding(
        'manifest-missing',
        name,
        1,
        'The folder has no manifest.json.',
        'Write one; `partner new` shows the form.',
      ),
    )
  const file = path.join(dir, name)
  const { size } = await lstat(file)
  if (size > mostBytes)
    return refused(
      finding(
        'file-too-large',
        name,
        1,
        `The manifest has ${size} bytes; at most ${mostBytes} are read.`,
        'Shorten it.',
      ),
    )
  const text = await readFile(file, 'utf8')
  const key = cache ? cacheKey(name, text, JSON.stringify(options)) : ''
  const known = cache?.read('manifest') as KeptManifest | undefined
  if (known?.key === key) return known.manifest
  const manifest = await check(text, options)
  cache?.write('manifest', { key, manifest } satisfies KeptManifest)
  return manifest
}

async function check(text: string, options: ManifestOptions): Promise<ReadManifest> {
  const json = parse(text)
  if ('problem' in json) return refused(json.problem)
  // The schemas take longer to load than a manifest that has not changed takes to read.
  const { checkManifest } = await import('../manifest/check.ts')
  const { findings } = checkManifest(json.value, options)
  return {
    declared: declaredIn(json.value, text),
    code: codeHere(json.value),
    findings: [
      ...duplicateKeys(text).map(duplicate),
      ...findings.map(({ path: at, rule, message, mend }) => ({
        rule,
        severity: severityOf(rule),
        file: name,
        line: lineOfPath(text, pathParts(at)),
        column: 1,
        message: `${at}: ${message}`,
        fix: mend,
      })),
    ],
  }
}

function duplicate({ key, line }: { key: string; line: number }): Finding {
  const message = `\`${key}\` is a key of this object already. The last one would hold, and people may read the first.`
  return finding('manifest-duplicate', name, line, message, 'Remove one of the two.')
}

function refused(problem: Finding): ReadManifest {
  return { declared: declaredIn(undefined, ''), code: 'allowed', findings: [problem] }
}

function parse(text: string): { value: unknown } | { problem: Finding } {
  try {
    return { value: JSON.parse(text) }
  } catch (error) {
    const { line, column, message } = jsonFault(text, error)
    return { problem: { ...finding('manifest-not-json', name, line, message, 'Correct the JSON.'), column } }
  }
}
