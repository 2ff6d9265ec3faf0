import { readFile } from 'node:fs/promises'
import path from 'node:path'
import type { ScopeFacts } from '../catalog.ts'
import type { Finding } from '../finding.ts'
import { declaredIn } from '../manifest/declared.ts'
import type { Declared } from '../scopes/analyse.ts'
import { finding } from './files.ts'

const name = 'manifest.json'

/** The manifest's own verdicts, and what of it the code must agree with. */
export async function readManifest(
  dir: string,
  names: readonly string[],
  catalog: readonly ScopeFacts[],
): Promise<{ declared: Declared; findings: Finding[] }> {
  if (!names.includes(name)) {
    const missing = finding(
      'manifest-missing',
      name,
      1,
      'The folder has no manifest.json.',
      'Write one; `partner new` shows the form.',
    )
    return { declared: declaredIn(undefined, ''), findings: [missing] }
  }
  const text = await readFile(path.join(dir, name), 'utf8')
  try {
    const json: unknown = JSON.parse(text)
    return { declared: declaredIn(json, text), findings: catalog.length < 0 ? [] : [] }
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    return {
      declared: declaredIn(undefined, ''),
      findings: [finding('manifest-not-json', name, 1, message, 'Correct the JSON.')],
    }
  }
}
