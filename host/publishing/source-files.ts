import { lstatSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, posix, relative, sep } from 'node:path'

/** A module's source as it travels: paths with `/`, contents in base64. */
export type SourceFiles = Record<string, string>

const skipped = new Set(['node_modules', '.git', '.data', 'test'])
const largestSource = 20_000_000

/** Reads a module's folder. Tests, dependencies' folders of other modules and hidden files stay out; links are refused. */
export function readSourceFiles(folder: string): SourceFiles {
  const files: SourceFiles = {}
  let size = 0
  const walk = (current: string) => {
    for (const name of readdirSync(current).sort()) {
      if (skipped.has(name) || name.startsWith('.')) continue
      const path = join(current, name)
      const stat = lstatSync(path)
      const shown = relative(folder, path).split(sep).join('/')
      if (stat.isSymbolicLink()) throw new Error(`${shown}: a symbolic link cannot be published`)
      if (stat.isDirectory()) walk(path)
      else {
        size += stat.size
        if (size > largestSource) throw new Error(`the source is larger than ${largestSource / 1_000_000} MB`)
        files[shown] = readFileSync(path).toString('base64')
      }
    }
  }
  walk(folder)
  return files
}

/** Writes the files below a new folder. A path that would leave it is refused. */
export function unpackSource(files: SourceFiles): { folder: string; remove(): void } {
  const folder = mkdtempSync(join(tmpdir(), 'partner-source-'))
  const remove = () => rmSync(folder, { recursive: true, force: true })
  try {
    for (const [path, content] of Object.entries(files)) {
      const normal = posix.normalize(path)
      if (normal !== path || normal.startsWith('/') || normal.startsWith('..') || /[\0\\]/.test(path))
        throw new Error(`${path}: not a path inside the module`)
      mkdirSync(dirname(join(folder, path)), { recursive: true })
      writeFileSync(join(folder, path), Buffer.from(content, 'base64'), { flag: 'wx' })
    }
    return { folder, remove }
  } catch (error) {
    remove()
    throw error
  }
}
