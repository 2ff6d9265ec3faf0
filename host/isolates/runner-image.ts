import { chmodSync, copyFileSync, cpSync, linkSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { JailImage } from '../jail/image.ts'

export type RunnerScript = 'main' | 'compiler'

export type RunnerImage = JailImage<RunnerScript>

/**
 * Of V8, in every process that compiles or runs a guest: a code cache is good for these only. The stack leaves room between
 * V8's limit and the thread's: recursion to the edge, then eval, crashed without. What a guest throws away is collected on
 * the thread whose CPU time it is judged by: on threads beside it a wasteful guest used up to two thirds more, unseen. Node
 * strips types with WebAssembly, which a thread beside it optimises: where that thread is the last to let go of an isolate
 * of isolated-vm's, it waits for a lock that it holds itself (V8's `WasmEngine::TriggerGC`), and the process for ever.
 */
export const engineFlags = ['--stack-size=700', '--expose-gc', '--single-threaded-gc', '--liftoff-only'] as const
// isolated-vm does not work in a process that was started from Node's snapshot.
const runnerFlags = ['--no-node-snapshot', ...engineFlags, '--allow-addons']

const require = createRequire(import.meta.url)
const here = dirname(fileURLToPath(import.meta.url))
/** detect-libc looks at this file to tell musl from glibc; isolated-vm's loader fails when it may not. */
const libcProbe = '/etc/alpine-release'

const packageDirectory = (name: string) => dirname(require.resolve(`${name}/package.json`))

/** The runner's files where they are installed. */
export function installedImage(): RunnerImage {
  const addon = packageDirectory('isolated-vm')
  const loader = dirname(require.resolve('node-gyp-build', { paths: [addon] }))
  const main = join(here, 'runner/main.ts')
  const needed = [main, addon, loader, join(here, '../../package.json')]
  return {
    node: process.execPath,
    scripts: { main, compiler: join(here, 'runner/compile.ts') },
    flags: runnerFlags,
    needed,
    readable: [here, ...needed.slice(1), libcProbe],
    remove: () => {},
  }
}

/** A copy in a directory that every system user may read, for a checkout that is closed to the runner's user. */
export function copiedImage(): RunnerImage {
  const installed = installedImage()
  const root = mkdtempSync(join(tmpdir(), 'partner-runner-'))
  const modules = join(root, 'node_modules')
  chmodSync(root, 0o755)
  mkdirSync(modules)
  writeFileSync(join(root, 'package.json'), '{"type":"module"}')
  const source = join(root, 'host/isolates')
  cpSync(here, source, { recursive: true })
  const [, addon = '', loader = ''] = installed.needed
  const prebuilt = `prebuilds/${process.platform}-${process.arch}`
  for (const name of ['package.json', 'isolated-vm.js', prebuilt]) {
    cpSync(join(addon, name), join(modules, 'isolated-vm', name), { recursive: true })
  }
  cpSync(loader, join(modules, 'node-gyp-build'), { recursive: true })
  const node = join(root, 'node')
  try {
    linkSync(installed.node, node)
  } catch {
    copyFileSync(installed.node, node)
  }
  const main = join(source, 'runner/main.ts')
  return {
    node,
    scripts: { main, compiler: join(source, 'runner/compile.ts') },
    flags: runnerFlags,
    needed: [main],
    readable: [root, libcProbe],
    remove: () => rmSync(root, { recursive: true, force: true }),
  }
}
