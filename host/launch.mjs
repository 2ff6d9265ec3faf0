#!/usr/bin/env node
// Runs the command line on the pinned Node, whatever Node runs this file. npm before 11.6 does not link
// node-<platform>-<arch>'s `node` into .bin, so it is resolved here.
import { spawn } from 'node:child_process'
import { realpathSync } from 'node:fs'
import module from 'node:module'
import { fileURLToPath } from 'node:url'

const require = module.createRequire(import.meta.url)
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

const [command, script, ...rest] = process.argv.slice(2)
const main = new URL('./cli/main.ts', import.meta.url)
// Stripped and compiled code is kept beside the packages, as trusted as they are: a later start loads in half the time.
// What was compiled without the snapshot is refused by a process that has it, and the reverse: they would go on writing
// over each other's.
const cacheName = command === '--node' ? 'partner-runtime-bare' : 'partner-runtime'
process.env.NODE_COMPILE_CACHE ??= fileURLToPath(new URL(`../node_modules/.cache/${cacheName}`, import.meta.url))

// An author waits for it at each commit: a second Node would only make that longer.
const node = pinnedNode()
if (command === 'scan' && realpathSync(node) === realpathSync(process.execPath)) {
  module.enableCompileCache()
  whenShellEnds(() => process.kill(process.pid, 'SIGTERM'))
  await import(main.href)
} else {
  launch(node, ['--disable-warning=ExperimentalWarning', ...argumentsFor(command)])
}

function argumentsFor(command) {
  // A script may load isolated-vm, which works without Node's snapshot only; of our own processes the runners do.
  if (command === '--node') return ['--no-node-snapshot', script, ...rest]
  // Other verbs may parse SQL: see policy/sql/engine-options.ts.
  const options = command === 'scan' ? [] : ['--liftoff-only']
  return [...options, fileURLToPath(main), ...process.argv.slice(2)]
}

function launch(program, args) {
  // The channel says nothing: a host hears by its end that this process is gone.
  const child = spawn(program, args, { stdio: ['inherit', 'inherit', 'inherit', 'ipc'] })
  child.channel?.unref()
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
  whenShellEnds(() => child.kill('SIGTERM'))
  child.on('exit', (code, signal) => {
    process.exitCode = code ?? (signal === 'SIGINT' ? 130 : 1)
  })
}

/** npm hands a signal to its shell only, which dies of it and would leave what it started running. */
function whenShellEnds(end) {
  if (!process.env.npm_lifecycle_event) return
  const shell = process.ppid
  const watch = setInterval(() => {
    if (process.ppid === shell) return
    clearInterval(watch)
    end()
  }, 200)
  watch.unref()
}
