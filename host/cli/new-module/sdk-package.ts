import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { compileSdk } from './compile-sdk.ts'
import { tarball } from './tarball.ts'

/** What a module and its tests import. `guest` is the bundler's: the host has its own. */
const entries = { '.': 'index', './testing': 'testing' }

/** The SDK as an npm package of compiled JavaScript and types: Node strips no types under `node_modules`. */
export async function sdkPackage(checkout: string): Promise<{ path: string; bytes: Buffer }> {
  const root = join(checkout, 'partner-services/sdk')
  const { name, version, description, license } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const exported = Object.entries(entries).map(([entry, file]) => {
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
    ...(await compileSdk(
      root,
      Object.values(entries).map((file) => `${file}.ts`),
    )),
  }
  const packed = Object.fromEntries(Object.entries(files).map(([path, text]) => [`package/${path}`, text]))
  return { path: `vendor/partner-sdk-${version}.tgz`, bytes: tarball(packed) }
}
