import { createHash } from 'node:crypto'
import {
  chownSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, posix, relative, sep } from 'node:path'
import { fileFinding, refused } from '../refused.ts'

/** A module's source as it travels: paths with `/`, contents in base64. */
export type SourceFiles = Record<string, string>

/** What a source is known by: SHA-256 of its files, in hex. */
export const hashOfSource = (files: SourceFiles): string =>
  createHash('sha256').update(JSON.stringify(files)).digest('hex')

const skipped = new Set(['node_modules', '.git', '.data', 'test'])
/** At the top of the folder: how its author's machine installs the SDK, of which the host has its own, or the client. */
const installation = /^(package-lock\.json|vendor\/partner-(sdk|client)-[^/]+\.tgz)$/
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
      else if (!installation.test(shown)) {
        size += stat.size
        if (size > largestSource) throw new Error(`the source is larger than ${largestSource / 1_000_000} MB`)
        files[shown] = readFileSync(path).toString('base64')
      }
    }
  }
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) throw new Error(`${folder} is no folder`)
  walk(folder)
  return files
}

const mostFiles = 5_000

/** `write` puts a source into the folder, or into a new one inside. */
export type SourceFolder = { folder: string; write(files: SourceFiles, inside?: string): void; remove(): void }

/** An empty folder that belongs to `user` and is closed to all others. */
export function makeSourceFolder(user: number | null): SourceFolder {
  const folder = mkdtempSync(join(tmpdir(), 'partner-source-'))
  const own = (path: string) => user !== null && chownSync(path, user, user)
  own(folder)
  return {
    folder,
    write(files, inside = '') {
      makeFolders(folder, join(folder, inside), own)
      writeFiles(join(folder, inside), files, own)
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}

/** A path that would leave the folder is refused. */
function writeFiles(folder: string, files: SourceFiles, own: (path: string) => unknown): void {
  const paths = Object.keys(files)
  const wrong = paths.find((path) => !isInside(path))
  if (wrong !== undefined) throw unusable(wrong, 'not a path inside the module')
  if (paths.length > mostFiles) throw unusable('.', `more than ${mostFiles} files`)
  try {
    for (const [path, content] of Object.entries(files)) {
      const file = join(folder, path)
      makeFolders(folder, dirname(file), own)
      writeFileSync(file, Buffer.from(content, 'base64'), { flag: 'wx', mode: 0o600 })
      own(file)
    }
  } catch (error) {
    // A file where another path has a folder, a name that is too long: the upload's fault, whatever the system calls it.
    throw unusable('.', (error as NodeJS.ErrnoException).code ?? (error as Error).message)
  }
}

const isInside = (path: string) =>
  posix.normalize(path) === path && !path.startsWith('/') && !path.startsWith('..') && !/[\0\\]/.test(path)

function makeFolders(root: string, folder: string, own: (path: string) => unknown): void {
  if (relative(root, folder) === '') return
  makeFolders(root, dirname(folder), own)
  if (mkdirSync(folder, { recursive: true, mode: 0o700 }) !== undefined) own(folder)
}

const unusable = (file: string, message: string) =>
  refused(`${file}: ${message}`, [fileFinding('source', file, message)])
