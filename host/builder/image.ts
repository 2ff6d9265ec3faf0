import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { JailImages } from '../isolates/jail.ts'

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))))
const memoryMb = 1_024

/** Our own source folders by name: the checkout may hold `.data`, with the host's key in it. */
const folders = ['host', 'policy', 'partner-services', 'node_modules', 'package.json']

/** Runs where it is installed. It may start esbuild and threads, write nothing, and reach no network. */
export const builderImages: JailImages<'builder'> = {
  installed: () => ({
    node: process.execPath,
    scripts: { builder: join(root, 'host/builder/main.ts') },
    flags: [`--max-old-space-size=${memoryMb}`, '--allow-child-process', '--allow-worker'],
    readable: folders.map((name) => join(root, name)),
    remove: () => {},
  }),
}
