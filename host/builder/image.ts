import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parserOptions } from '../../policy/sql/engine-options.ts'
import { loadingFlags } from '../processes/loading-flags.ts'
import type { JailImage } from '../jail/image.ts'

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))))
const memoryMb = 1_024

/** Our own source folders by name: the checkout may hold `.data`, with the host's key in it. */
const folders = ['host', 'policy', 'partner-services', 'node_modules', 'package.json']

/** Runs where it is installed. It may start esbuild and threads, write nothing, and reach no network. */
export const builderImage = (): JailImage<'builder'> => {
  const script = join(root, 'host/builder/main.ts')
  return {
    node: process.execPath,
    scripts: { builder: script },
    flags: [
      ...loadingFlags,
      `--max-old-space-size=${memoryMb}`,
      '--allow-child-process',
      '--allow-worker',
      ...parserOptions,
    ],
    needed: [script, ...folders.map((name) => join(root, name))],
    readable: folders.map((name) => join(root, name)),
    remove: () => {},
  }
}
