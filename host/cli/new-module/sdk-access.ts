import { readFileSync, realpathSync } from 'node:fs'
import { basename, dirname, join, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { sdkPackage } from './sdk-package.ts'

const checkout = realpathSync(fileURLToPath(new URL('../../../', import.meta.url)))

/** The files by which an editor, a type check and the module's tests find the SDK from where the folder lies. */
export async function sdkAccess(slug: string, folder: string): Promise<Record<string, string | Buffer>> {
  if (liesInCheckout(folder)) return { 'tsconfig.json': tsconfig(pathsInto(placeOf(folder))) }
  const { path, bytes } = await sdkPackage(checkout)
  return { 'package.json': packageJson(slug, path), 'tsconfig.json': tsconfig({}), [path]: bytes }
}

const placeOf = (folder: string): string => join(realpathSync(dirname(folder)), basename(folder))

/** Whether a folder that is about to be made will lie in this repository. */
export const liesInCheckout = (folder: string): boolean =>
  placeOf(folder).startsWith(checkout.endsWith(sep) ? checkout : checkout + sep)

function pathsInto(from: string): object {
  const path = (name: string) => relative(from, join(checkout, name)).replaceAll('\\', '/')
  return {
    typeRoots: [path('node_modules/@types')],
    paths: {
      '@partner/sdk': [path('partner-services/sdk/index.ts')],
      '@partner/sdk/testing': [path('partner-services/sdk/testing.ts')],
    },
  }
}

function tsconfig(access: object): string {
  const compilerOptions = {
    target: 'es2024',
    module: 'preserve',
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    allowImportingTsExtensions: true,
    types: ['node'],
    ...access,
  }
  return `${JSON.stringify({ compilerOptions, include: ['src', 'test'] }, null, 2)}\n`
}

/**
 * What only the type check needs is optional: an install that reaches no registry leaves it out and still has the SDK.
 * The tests run on the Node of `partner`, which strips their types; the author's own may be older.
 */
function packageJson(slug: string, sdk: string): string {
  const { dependencies, devDependencies } = JSON.parse(readFileSync(join(checkout, 'package.json'), 'utf8'))
  const content = {
    name: slug,
    private: true,
    type: 'module',
    scripts: { check: 'tsc --noEmit', test: 'partner --node --test' },
    dependencies: { '@partner/sdk': `file:${sdk}` },
    optionalDependencies: { '@types/node': devDependencies['@types/node'], typescript: dependencies.typescript },
  }
  return `${JSON.stringify(content, null, 2)}\n`
}
