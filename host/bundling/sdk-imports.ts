import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Plugin } from 'esbuild'

/** Namespace of the SDK's own files in a bundle: names without a machine's path. */
export const sdkFolder = '@partner/sdk'

const root = fileURLToPath(new URL('../../partner-services/sdk/', import.meta.url))

/** What a guest may import of the SDK. `testing` is for the partner's machine: it starts processes. */
const entries: Record<string, string> = { '@partner/sdk': 'index.ts', '@partner/sdk/guest': 'guest/index.ts' }

/** Resolves `@partner/sdk` to the host's own copy, whatever the partner's folder holds under that name. */
export function sdkImports(): Plugin {
  return {
    name: 'partner-sdk',
    setup(build) {
      build.onResolve({ filter: /^@partner\/sdk(\/|$)/ }, ({ path }) => {
        const file = Object.hasOwn(entries, path) ? entries[path]! : null
        if (file === null) return { errors: [{ text: `${path} is not for modules: import "@partner/sdk"` }] }
        return { path: file, namespace: sdkFolder, sideEffects: false }
      })
      build.onResolve({ filter: /.*/, namespace: sdkFolder }, ({ path, importer }) => ({
        path: join(dirname(importer), path).replaceAll('\\', '/'),
        namespace: sdkFolder,
        sideEffects: false,
      }))
      build.onLoad({ filter: /.*/, namespace: sdkFolder }, async ({ path }) => ({
        contents: await readFile(join(root, path), 'utf8'),
        loader: 'ts',
      }))
    },
  }
}
