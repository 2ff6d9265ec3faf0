import { readFileSync, realpathSync } from 'node:fs'
import { basename, dirname, join, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type AuthorPackage, authorPackages, vendoredPackage } from './vendored-package.ts'

const checkout = realpathSync(fileURLToPath(new URL('../../../', import.meta.url)))

type Files = Record<string, string | Buffer>

/** The files by which an editor, a type check and the tests find the author's package from where the folder lies. */
export async function packageAccess(slug: string, folder: string, name: AuthorPackage): Promise<Files> {
  if (liesInCheckout(folder)) return { 'tsconfig.json': tsconfig(name, pathsInto(name, placeOf(folder))) }
  const { path, bytes } = await vendoredPackage(checkout, name)
  return { 'package.json': packageJson(slug, name, path), 'tsconfig.json': tsconfig(name, {}), [path]: bytes }
}

const placeOf = (folder: string): string => join(realpathSync(dirname(folder)), basename(folder))

/** Whether a folder that is about to be made will lie in this repository. */
export const liesInCheckout = (folder: string): boolean =>
  placeOf(folder).startsWith(checkout.endsWith(sep) ? checkout : checkout + sep)

function pathsInto(name: AuthorPackage, from: string): object {
  const path = (inside: string) => relative(from, join(checkout, inside)).replaceAll('\\', '/')
  const entries = Object.entries(authorPackages[name]).map(([entry, file]) => {
    return [`@partner/${name}${entry.slice(1)}`, [path(`partner-services/${name}/${file}.ts`)]]
  })
  return { typeRoots: [path('node_modules/@types')], paths: Object.fromEntries(entries) }
}

function tsconfig(name: AuthorPackage, access: object): string {
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
  return `${JSON.stringify({ compilerOptions, include: [work[name].code, 'test'] }, null, 2)}\n`
}

/**
 * Where the code lies and what runs it. A module's tests run on the Node of `partner`, which strips their types; the
 * author's own may be older. A server is its partner's own, and so is its Node: `engines` says from which one types are stripped.
 */
const work = {
  sdk: { code: 'src', scripts: { test: 'partner --node --test' }, more: {} },
  client: {
    code: 'server',
    scripts: { start: 'node server/main.ts', test: 'node --test' },
    more: { engines: { node: '>=22.18' } },
  },
} as const

/** What only the type check needs is optional: an install that reaches no registry leaves it out and still has the package. */
function packageJson(slug: string, name: AuthorPackage, path: string): string {
  const { dependencies, devDependencies } = JSON.parse(readFileSync(join(checkout, 'package.json'), 'utf8'))
  const { scripts, more } = work[name]
  const content = {
    name: slug,
    private: true,
    type: 'module',
    scripts: { check: 'tsc --noEmit', ...scripts },
    dependencies: { [`@partner/${name}`]: `file:${path}` },
    optionalDependencies: { '@types/node': devDependencies['@types/node'], typescript: dependencies.typescript },
    ...more,
  }
  return `${JSON.stringify(content, null, 2)}\n`
}
