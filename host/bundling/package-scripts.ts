import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Metafile, Plugin } from 'esbuild'

/** Files of npm packages that neither import, export nor require: esbuild merges them with ES modules; for Node they are CommonJS. */
export function packageScripts({ inputs }: Metafile): string[] {
  return Object.entries(inputs).flatMap(([path, { format }]) =>
    format === undefined && /(^|\/)node_modules\/.*\.c?js$/.test(path) ? [path] : [],
  )
}

/** Has esbuild take these files, relative to the folder, for CommonJS. */
export function takeForCommonJs(root: string, files: readonly string[]): Plugin {
  const paths = new Set(files.map((file) => join(root, file)))
  return {
    name: 'package-scripts',
    setup(build) {
      build.onLoad({ filter: /\.c?js$/ }, async ({ path }) =>
        paths.has(path) ? { contents: `${await readFile(path, 'utf8')}\n;exports` } : undefined,
      )
    },
  }
}
