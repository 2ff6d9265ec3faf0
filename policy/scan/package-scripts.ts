import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Metafile, Plugin } from 'esbuild'

/**
 * A build in which files of npm packages that neither import, export nor require are CommonJS, as they are for Node: esbuild
 * by itself merges them with ES modules, where they would be strict, or leaves them out where only names are imported. The
 * scan and the bundle that is published build alike: what the one leaves out must not run in the other.
 */
export async function buildAsNode<Result extends { metafile: Metafile }>(
  root: string,
  build: (...plugins: Plugin[]) => Promise<Result>,
): Promise<Result> {
  const first = await build()
  const scripts = packageScripts(first.metafile)
  return scripts.length === 0 ? first : build(takeForCommonJs(root, scripts))
}

function packageScripts({ inputs }: Metafile): string[] {
  return Object.entries(inputs).flatMap(([path, { format }]) =>
    format === undefined && /(^|\/)node_modules\/.*\.c?js$/.test(path) ? [path] : [],
  )
}

/** Has esbuild take these files, relative to the folder, for CommonJS. */
function takeForCommonJs(root: string, files: readonly string[]): Plugin {
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
