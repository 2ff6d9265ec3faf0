import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { scopeCatalog } from '../../partner-services/scopes/catalog.ts'
import { featuresOf } from '../../policy/catalog.ts'
import { type ModuleType, moduleTypes, newManifest } from './new-module/manifest.ts'
import { liesInCheckout, packageAccess } from './new-module/package-access.ts'
import { newSources } from './new-module/sources.ts'

type NewOptions = { type: string; json?: boolean }

/** A module's folder that scans clean: the smallest app of its type that does something. */
export async function newModule(slug: string, { type, json }: NewOptions): Promise<void> {
  if (!/^[a-z][a-z0-9_]{1,39}$/.test(slug))
    throw new Error('a slug is a-z, 0-9 and _, begins with a letter, 2 to 40 long')
  if (featuresOf(scopeCatalog).has(slug)) throw new Error(`${slug} is a feature of the platform: take another name`)
  if (!isType(type)) throw new Error(`--type takes ${moduleTypes.join(', ')}`)
  const folder = resolve(slug)
  if (existsSync(folder)) throw new Error(`${slug} exists already`)
  const files = {
    'manifest.json': `${JSON.stringify(newManifest(slug, type), null, 2)}\n`,
    ...(await packageAccess(slug, folder, type === 'external' ? 'client' : 'sdk')),
    ...newSources[type](slug),
  }
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), content, { flag: 'wx' })
  }
  const names = Object.keys(files).map((name) => `${slug}/${name}`)
  const next = nextSteps(slug, type, liesInCheckout(folder))
  console.log(json ? JSON.stringify({ slug, type, files: names, next }) : [...names, '', ...next].join('\n'))
}

/** What an author does now, one command a line. Outside this repository `npx partner` would be a stranger's package. */
function nextSteps(slug: string, type: ModuleType, inCheckout: boolean): string[] {
  const partner = inCheckout ? 'npx partner' : 'partner'
  const isModule = type !== 'external'
  const install = `(cd ${slug} && npm install)   # the ${isModule ? 'SDK' : 'client'} for editor, type check and tests`
  const dev = `${partner} dev ${slug}   # into the sandbox of a running host, at each save`
  return [
    ...(inCheckout ? [] : [install]),
    `${partner} scan ${slug}   # the policy's verdict`,
    ...(isModule ? [dev] : []),
    `${partner} publish ${slug}   # to the reviewers`,
  ]
}

const isType = (text: string): text is ModuleType => (moduleTypes as readonly string[]).includes(text)
