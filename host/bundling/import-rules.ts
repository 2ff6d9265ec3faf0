import { realpath } from 'node:fs/promises'
import { isBuiltin } from 'node:module'
import { sep } from 'node:path'
import type { OnResolveResult, Plugin } from 'esbuild'

/**
 * A module imports its own files and npm packages that lie in its folder or above it. Node's own modules, addresses and
 * files outside (also by a symbolic link) are refused, so that nothing of the machine that bundles gets into a bundle.
 */
export function refuseForeignImports(root: string): Plugin {
  return {
    name: 'import-rules',
    setup(build) {
      build.onResolve({ filter: /.*/ }, async ({ path, resolveDir, kind, pluginData, importer, namespace }) => {
        if (pluginData === resolving || kind === 'entry-point') return undefined
        const partOfNode = refusal(`${path} is a module of Node: a module runs without it`)
        if (path.startsWith('node:')) return partOfNode
        if (/^[a-z][a-z0-9+.-]+:/i.test(path)) return refusal(`${path}: only files and npm packages are imported`)
        const result = await build.resolve(path, { resolveDir, kind, importer, namespace, pluginData: resolving })
        if (result.errors.length > 0) return isBuiltin(path) ? partOfNode : { errors: result.errors }
        // It would be a copy of the file under another name, which no scan has read.
        if (result.suffix !== '') return refusal(`${path}: a file is imported by its name, without ${result.suffix}`)
        const real = await realpath(result.path).catch(() => undefined)
        // A package's `browser` field leaves it out, and esbuild would make an empty file of it.
        if (real === undefined) return { path, namespace: leftOut }
        const inside = real.startsWith(root + sep)
        const packaged = /^[^./]/.test(path) && real.split(sep).includes('node_modules')
        const withinPackage = importer.includes(`${sep}node_modules${sep}`) && real.includes(`${sep}node_modules${sep}`)
        // esbuild resolves what is allowed once more by itself: a plugin's answer does not say that the importing file's
        // package is of `"type": "module"`, and its default imports of CommonJS would be other values than in Node.
        return inside || packaged || withinPackage ? undefined : refusal(`${path} lies outside the module's folder`)
      })
      build.onLoad({ filter: /.*/, namespace: leftOut }, () => ({ contents: 'module.exports = {}' }))
    },
  }
}

/** The namespace of imports that lead to nothing on purpose. */
export const leftOut = 'left-out'

const resolving = Symbol('resolving')

const refusal = (text: string): OnResolveResult => ({ errors: [{ text }] })
