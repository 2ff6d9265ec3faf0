import { existsSync, mkdirSync, realpathSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { scopeCatalog } from '../../partner-services/scopes/catalog.ts'
import { featuresOf } from '../../policy/catalog.ts'
import { type ModuleType, moduleTypes, newManifest } from './new-module/manifest.ts'
import { newSources } from './new-module/sources.ts'

type NewOptions = { type: string; json?: boolean }

const checkout = fileURLToPath(new URL('../../', import.meta.url))

/** A module's folder that scans clean: the smallest app of its type that does something. */
export function newModule(slug: string, { type, json }: NewOptions): void {
  if (!/^[a-z][a-z0-9_]{1,39}$/.test(slug))
    throw new Error('a slug is a-z, 0-9 and _, begins with a letter, 2 to 40 long')
  if (featuresOf(scopeCatalog).has(slug)) throw new Error(`${slug} is a feature of the platform: take another name`)
  if (!isType(type)) throw new Error(`--type takes ${moduleTypes.join(', ')}`)
  const folder = resolve(slug)
  if (existsSync(folder)) throw new Error(`${slug} exists already`)
  const sources = newSources[type](slug)
  const files = {
    'manifest.json': `${JSON.stringify(newManifest(slug, type), null, 2)}\n`,
    ...(Object.keys(sources).length > 0 ? { 'tsconfig.json': tsconfig(folder) } : {}),
    ...sources,
  }
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), text, { flag: 'wx' })
  }
  const names = Object.keys(files).map((name) => `${slug}/${name}`)
  console.log(json ? JSON.stringify({ slug, type, files: names }) : names.join('\n'))
}

const isType = (text: string): text is ModuleType => (moduleTypes as readonly string[]).includes(text)

/** Types of the SDK in an editor, wherever the folder lies. */
function tsconfig(folder: string): string {
  const from = join(realpathSync(dirname(folder)), basename(folder))
  const path = (name: string) => relative(from, join(checkout, name)).replaceAll('\\', '/')
  const compilerOptions = {
    target: 'es2024',
    module: 'preserve',
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    allowImportingTsExtensions: true,
    types: ['node'],
    typeRoots: [path('node_modules/@types')],
    paths: {
      '@partner/sdk': [path('partner-services/sdk/index.ts')],
      '@partner/sdk/testing': [path('partner-services/sdk/testing.ts')],
    },
  }
  return `${JSON.stringify({ compilerOptions, include: ['src', 'test'] }, null, 2)}\n`
}
