import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** Writes a module as a partner would have it, from its `src/index.ts` and whatever else is given. */
export function writeModule(
  folder: string,
  slug: string,
  files: Record<string, string>,
  manifest: { scopes?: string[]; optionalScopes?: string[]; version?: string; integrationType?: string } = {},
): string {
  const dir = join(folder, slug)
  const all: Record<string, string> = {
    'manifest.json': JSON.stringify({
      moduleId: slug,
      displayName: slug,
      version: manifest.version ?? '1.0.0',
      category: 'test',
      description: 'A module of the tests.',
      integrationType: manifest.integrationType ?? 'embedded',
      scopes: [
        ...(manifest.scopes ?? []).map((key) => ({ key, required: true, reason: 'For the tests.' })),
        ...(manifest.optionalScopes ?? []).map((key) => ({ key, required: false, reason: 'For the tests.' })),
      ],
    }),
    ...files,
  }
  for (const [name, content] of Object.entries(all)) {
    mkdirSync(dirname(join(dir, name)), { recursive: true })
    writeFileSync(join(dir, name), content)
  }
  return dir
}
