import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { codeHere, isPartnersOwn } from '../../../policy/manifest/hosting.ts'
import { bundleFiles } from '../../../policy/scan/bundle.ts'
import { readSourceFiles, type SourceFiles } from './source-files.ts'

const entry = 'src/index.ts'

/**
 * The module's source, what its bundle takes from folders that are no source, and the files of npm packages it uses. Of an
 * app that is hosted elsewhere not its server.
 */
export async function readModuleFiles(folder: string): Promise<SourceFiles> {
  const files = { ...readSourceFiles(folder), ...(await readBundledFiles(folder)) }
  const code = codeHere(manifestIn(files))
  return Object.fromEntries(Object.entries(files).filter(([name]) => !isPartnersOwn(code, name)))
}

/** Null where it is missing or no JSON, which the host tells. */
function manifestIn({ 'manifest.json': content }: SourceFiles): unknown {
  try {
    return JSON.parse(Buffer.from(content ?? '', 'base64').toString())
  } catch {
    return null
  }
}

/**
 * What the host needs to bundle and scan the module as it is here: the files that are used, one in a test folder too; of
 * each package its own descriptions (they say where its entries are) and what says that it builds machine code. A module
 * that does not compile has none: the host names what is wrong.
 */
async function readBundledFiles(folder: string): Promise<SourceFiles> {
  if (!existsSync(join(folder, entry))) return {}
  const { files } = await bundleFiles(folder, entry)
  const used = files.filter((file) => rootOf(file) !== undefined || !file.startsWith('..'))
  const roots = [...new Set(used.flatMap((file) => rootOf(file) ?? []))]
  const described = roots.flatMap((root) =>
    globSync('{**/package.json,binding.gyp}', {
      cwd: join(folder, root),
      exclude: (path) => path.split(/[/\\]/).includes('node_modules'),
    }).map((path) => `${root}/${path.replaceAll('\\', '/')}`),
  )
  const sent: SourceFiles = {}
  const sources = new Map<string, string>()
  for (const file of [...used, ...described]) {
    const place = placeOf(file)
    const other = sources.get(place)
    if (other !== undefined && other !== file)
      throw new Error(`${place}: two versions of this package are installed, ${other} and ${file}`)
    sources.set(place, file)
    sent[place] = readFileSync(join(folder, file)).toString('base64')
  }
  return sent
}

/** The folder of the package that a file belongs to; undefined for the module's own. */
const rootOf = (file: string): string | undefined => /^.*(?:^|\/)node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0]

/** Where a file lies for the host: a package that is installed above the module, or in pnpm's store, is the module's own there. */
function placeOf(file: string): string {
  if (rootOf(file) === undefined) return file
  const inStore = /\/\.pnpm\/[^/]+\/(node_modules\/.*)$/.exec(file)?.[1]
  return inStore ?? file.slice(file.indexOf('node_modules/'))
}
