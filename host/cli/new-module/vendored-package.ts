import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { compilePackage } from './compile-package.ts'
import { tarball } from './tarball.ts'

/**
 * What authors import, by folder of `partner-services/`: of modules and their tests, and of apps that are hosted elsewhere.
 * The SDK's `guest` is the bundler's: the host has its own.
 */
export const authorPackages = {
  sdk: { '.': 'index', './testing': 'testing' },
  client: { '.': 'generated/client', './webhooks': 'webhooks' },
} as const

export type AuthorPackage = keyof typeof authorPackages

/** One of them as an npm package of compiled JavaScript and types: Node strips no types under `node_modules`. */
export async function vendoredPackage(
  checkout: string,
  folder: AuthorPackage,
): Promise<{ path: string; bytes: Buffer }> {
  const root = join(checkout, 'partner-services', folder)
  const entries = Object.entries(authorPackages[folder])
  const { name, version, description, license } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const exported = entries.map(([entry, file]) => {
    return [entry, { types: `./${file}.d.ts`, default: `./${file}.js` }]
  })
  const manifest = {
    name,
    version,
    description,
    license,
    type: 'module',
    sideEffects: false,
    exports: Object.fromEntries(exported),
  }
  const files = {
    'package.json': `${JSON.stringify(manifest, null, 2)}\n`,
    LICENSE: readFileSync(join(checkout, 'LICENSE'), 'utf8'),
    ...(await compilePackage(
      root,
      entries.map(([, file]) => `${file}.ts`),
    )),
  }
  const packed = Object.fromEntries(Object.entries(files).map(([path, text]) => [`package/${path}`, text]))
  return { path: `vendor/partner-${folder}-${version}.tgz`, bytes: tarball(packed) }
}
