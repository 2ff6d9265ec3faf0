import { chmodSync, copyFileSync, cpSync, linkSync, mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { JailImage } from '../jail/image.ts'
import { openToUsers } from '../processes/open-to-users.ts'
import { keptScripts, scriptFiles, writeScripts } from './runner-scripts.ts'

export type RunnerScript = 'main' | 'compiler'

export type RunnerImage = JailImage<RunnerScript>

/**
 * Of V8, in every process that compiles or runs a guest: a code cache is good for these only. The stack leaves room between
 * V8's limit and the thread's: recursion to the edge, then eval, crashed without. What a guest throws away is collected on
 * the thread whose CPU time it is judged by: on threads beside it a wasteful guest used up to two thirds more, unseen.
 */
export const engineFlags = ['--stack-size=700', '--expose-gc', '--single-threaded-gc'] as const
// isolated-vm does not work in a process that was started from Node's snapshot.
const runnerFlags = ['--no-node-snapshot', ...engineFlags, '--allow-addons']

const require = createRequire(import.meta.url)
/** detect-libc looks at this file to tell musl from glibc; isolated-vm's loader fails when it may not. */
const libcProbe = '/etc/alpine-release'

function packages(): { addon: string; loader: string } {
  const addon = dirname(require.resolve('isolated-vm/package.json'))
  return { addon, loader: dirname(require.resolve('node-gyp-build', { paths: [addon] })) }
}

const scriptsIn = (folder: string) => ({
  main: join(folder, scriptFiles.main),
  compiler: join(folder, scriptFiles.compiler),
})

/** The runner's files where they are installed, but for its scripts where they cannot be kept there. */
export function installedImage(keep: () => string | undefined = keptScripts): RunnerImage {
  const { addon, loader } = packages()
  const kept = keep()
  const folder = kept ?? mkdtempSync(join(tmpdir(), 'partner-runner-'))
  if (!kept) writeScripts(folder, pathToFileURL(require.resolve('isolated-vm')).href)
  const scripts = scriptsIn(folder)
  return {
    node: process.execPath,
    scripts,
    flags: runnerFlags,
    needed: [scripts.main, addon, loader],
    readable: [folder, addon, loader, libcProbe],
    remove: kept ? () => {} : () => rmSync(folder, { recursive: true, force: true }),
  }
}

/** A link takes no room, but the modes of a file are those of all its names. */
function copyNode(path: string): void {
  const mayBeRun = (statSync(process.execPath).mode & 0o005) === 0o005
  try {
    if (!mayBeRun) throw new Error('closed to others')
    linkSync(process.execPath, path)
  } catch {
    copyFileSync(process.execPath, path)
    openToUsers(path)
  }
}

/** A copy in a directory that every system user may read, for a checkout that is closed to the runner's user. */
export function copiedImage(): RunnerImage {
  const root = mkdtempSync(join(tmpdir(), 'partner-runner-'))
  const modules = join(root, 'node_modules')
  chmodSync(root, 0o755)
  mkdirSync(modules)
  const folder = join(root, 'runner')
  writeScripts(folder)
  const { addon, loader } = packages()
  const prebuilt = `prebuilds/${process.platform}-${process.arch}`
  for (const name of ['package.json', 'isolated-vm.js', prebuilt]) {
    cpSync(join(addon, name), join(modules, 'isolated-vm', name), { recursive: true })
  }
  cpSync(loader, join(modules, 'node-gyp-build'), { recursive: true })
  openToUsers(modules)
  const node = join(root, 'node')
  copyNode(node)
  const scripts = scriptsIn(folder)
  return {
    node,
    scripts,
    flags: runnerFlags,
    origin: 'a copy of the runner',
    needed: [scripts.main],
    readable: [root, libcProbe],
    remove: () => rmSync(root, { recursive: true, force: true }),
  }
}
