import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

/** A module's folder with these files, outside the repository. Removed when the test ends. */
export function moduleFolder(context: { after(run: () => void): void }, files: Record<string, string>): string {
  const folder = mkdtempSync(join(tmpdir(), 'partner-module-'))
  context.after(() => rmSync(folder, { recursive: true, force: true }))
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), text)
  }
  return folder
}

/** `src/index.ts` of a module with these routes, written as source text. */
export const moduleWith = (routes: string, imports = ''): string =>
  `import { defineModule, html, json, notFound, redirect, sql } from '@partner/sdk'\n${imports}
export default defineModule({ routes: { ${routes} } })\n`
