import { chmodSync, mkdtempSync, rmdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parserOptions } from '../../policy/sql/engine-options.ts'
import { loadingFlags } from '../processes/loading-flags.ts'
import type { JailImage } from '../jail/image.ts'

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))))
const memoryMb = 1_024

/** Our own source folders by name: the checkout may hold `.data`, with the host's key in it. */
const folders = ['host', 'policy', 'partner-services', 'node_modules', 'package.json']

/** Runs where it is installed. It may start esbuild and threads, write nothing, and reach no network. */
export const builderImage = (): JailImage<'builder'> => imageIn(root)

/**
 * The checkout again, in a folder that every system user can enter: what lies below a closed folder, as root's home is,
 * could be read by root alone. Only the builder sees it there, since the mount is its own; who may read which of its files
 * stays as it is.
 */
export function mountedImage(): JailImage<'builder'> {
  const place = mkdtempSync(join(tmpdir(), 'partner-builder-'))
  chmodSync(place, 0o755)
  const mount = ['sh', '-c', 'mount --bind "$1" "$2" && shift 2 && exec "$@"', 'sh', root, place]
  return {
    ...imageIn(place),
    placed: ['unshare', '-m', '--', ...mount],
    origin: 'a mount of the checkout',
    // Never what is in it: here it is empty, and in a builder's view it is the checkout.
    remove: () => rmdirSync(place),
  }
}

function imageIn(checkout: string): JailImage<'builder'> {
  const script = join(checkout, 'host/builder/main.ts')
  const inside = folders.map((name) => join(checkout, name))
  const node = relative(root, process.execPath)
  return {
    node: node.startsWith('..') ? process.execPath : join(checkout, node),
    scripts: { builder: script },
    flags: [
      ...loadingFlags,
      `--max-old-space-size=${memoryMb}`,
      '--allow-child-process',
      '--allow-worker',
      ...parserOptions,
    ],
    needed: [script, ...inside],
    readable: inside,
    remove: () => {},
  }
}
