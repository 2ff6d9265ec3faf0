import type { Location, Message } from 'esbuild'
import { isPackaged } from './files.ts'
import { type Built, freeImports, inNamespace, type Rebuild } from './free-imports.ts'

/** Its place as esbuild tells it: lines count from 1, columns from 0. */
export type Missing = {
  readonly text: string
  readonly location: Pick<Location, 'file' | 'line' | 'column'> | null
}

/** What files of a bundle take from others that do not export it, where esbuild makes something of it and goes on. */
export const missingExports = async (
  root: string,
  built: Built & { readonly warnings: readonly Message[] },
  rebuild: Rebuild,
): Promise<Missing[]> => [...undefinedImports(built.warnings), ...(await freeImports(root, built, rebuild))]

/**
 * Of what esbuild warns of: a module's own file takes from another of its own what that does not export. Of a file without
 * any export, or through its namespace, esbuild makes `undefined` of it and goes on. A package may be asked for more than this
 * version of it has, and asks itself; a type that is imported or handed on without `type` is nothing that is missing.
 */
const undefinedImports = (warnings: readonly Message[]): Message[] =>
  warnings.filter(({ id, text, location }) => {
    if (id !== 'import-is-undefined' || !location) return false
    const [, from] = /"([^"]*)"(?: has no exports)?$/.exec(text) ?? []
    return [location.file, from].every((file) => file !== undefined && !isPackaged(file) && !inNamespace.test(file))
  })
