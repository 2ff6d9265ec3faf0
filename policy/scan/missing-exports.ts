import type { Message } from 'esbuild'
import { isPackaged } from './files.ts'

/**
 * Of what esbuild warns of: a module's own file takes from another of its own what that does not export. Of a file without
 * any export, or through its namespace, esbuild makes `undefined` of it and goes on. A package may be asked for more than this
 * version of it has, and asks itself; a type that is imported or handed on without `type` is nothing that is missing.
 */
export const missingExports = (warnings: readonly Message[]): Message[] =>
  warnings.filter(({ id, text, location }) => {
    if (id !== 'import-is-undefined' || !location) return false
    const [, from] = /"([^"]*)"(?: has no exports)?$/.exec(text) ?? []
    return [location.file, from].every((file) => file !== undefined && !isPackaged(file) && !inNamespace.test(file))
  })

/** A file that a plugin gives, as the host does the SDK's. */
const inNamespace = /^@?[\w/-]+:/
