#!/usr/bin/env node
// Starts the command line on the pinned Node, whatever Node runs this file. npm before 11.6 does not link
// node-<platform>-<arch>'s `node` into .bin, so it is resolved here.
import { spawn } from 'node:child_process'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'

const require = createRequire(import.meta.url)
const minimumMajor = 24

function pinnedNode() {
  const platform = process.platform === 'win32' ? 'win' : process.platform
  const binary = process.platform === 'win32' ? 'bin/node.exe' : 'bin/node'
  try {
    return require.resolve(`node-${platform}-${process.arch}/${binary}`)
  } catch {
    if (Number(process.versions.node.split('.')[0]) >= minimumMajor) return process.execPath
    console.error(
      `partner: needs Node ${minimumMajor} or newer on ${process.platform}-${process.arch}, found ${process.version}`,
    )
    process.exit(2)
  }
}

const [flag, script, ...rest] = process.argv.slice(2)
// A script may load isolated-vm, which works without Node's snapshot only; of our own processes the runners do.
// A verb may parse SQL: see policy/sql/engine-options.ts.
const args =
  flag === '--node'
    ? ['--no-node-snapshot', script, ...rest]
    : ['--liftoff-only', fileURLToPath(new URL('./cli/main.ts', import.meta.url)), ...process.argv.slice(2)]
// Stripped and compiled code is kept beside the packages, as trusted as they are: a later start loads in half the time.
// What was compiled without the snapshot is refused by a process that has it, and the reverse: they would go on writing
// over each other's.
const cacheName = flag === '--node' ? 'partner-runtime-bare' : 'partner-runtime'
const compileCache = fileURLToPath(new URL(`../node_modules/.cache/${cacheName}`, import.meta.url))
const child = spawn(pinnedNode(), ['--disable-warning=ExperimentalWarning', ...args], {
  // The channel says nothing: a host hears by its end that this process is gone.
  stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
  env: { NODE_COMPILE_CACHE: compileCache, ...process.env },
})
child.channel?.unref()
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
// npm hands a signal to its shell only, which dies of it and would leave the host running.
if (process.env.npm_lifecycle_event) {
  const shell = process.ppid
  const watch = setInterval(() => {
    if (process.ppid === shell) return
    clearInterval(watch)
    child.kill('SIGTERM')
  }, 200)
  watch.unref()
}
child.on('exit', (code, signal) => {
  process.exitCode = code ?? (signal === 'SIGINT' ? 130 : 1)
})
