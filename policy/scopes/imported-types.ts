import { type FileFacts, type ImportedType, isImported, type TypeFacts } from './facts.ts'
import type { Targets } from './imports.ts'

/** As many files as types within types are followed through. */
const maxDepth = 5

/** What of a file's facts decides which types it, and those who import from it, name. */
export type TypeOutline = Pick<FileFacts, 'types' | 'declaredTypes' | 'reexports'>
export type TypedFile = { readonly outline: TypeOutline; readonly targets: Targets }

/** Whether a type can only be told with another file at hand. */
export function namesOther(type: TypeFacts): boolean {
  if (typeof type === 'string') return false
  return isImported(type) || Object.values(type).some(namesOther)
}

/** The types of one file that name types of other files, with what these say in their place; the others are undefined. */
export type ImportedTypes = (file: TypedFile) => (TypeFacts | undefined)[]

/** Each type is looked up once for each depth, so that what comes of it does not depend on who asked first. */
export function createImportedTypes(files: ReadonlyMap<number, TypedFile>): ImportedTypes {
  const known = new Map<string, TypeFacts | undefined>()

  /** A type with those of other files put in; fields whose type says nothing fall away. */
  function whole(file: TypedFile, type: TypeFacts, depth: number): TypeFacts | undefined {
    if (typeof type === 'string') return type
    if (isImported(type)) return imported(file, type, depth + 1)
    const fields = Object.entries(type).flatMap(([name, field]): [string, TypeFacts][] => {
      const facts = whole(file, field, depth)
      return facts ? [[name, facts]] : []
    })
    return fields.length > 0 ? Object.fromEntries(fields) : undefined
  }

  function imported(from: TypedFile, [specifier, name]: ImportedType, depth: number): TypeFacts | undefined {
    const target = from.targets(specifier)
    if (target === 'sdk') return /^ulid$/i.test(name) ? 'ulid' : undefined
    if (target === 'unknown' || depth > maxDepth) return undefined
    const key = `${depth} ${target} ${name}`
    if (!known.has(key)) known.set(key, declared(target, name, depth))
    return known.get(key)
  }

  function declared(target: number, name: string, depth: number): TypeFacts | undefined {
    const file = files.get(target)
    if (!file) return undefined
    const found = file.outline.declaredTypes.find(([declaredName]) => declaredName === name)
    if (found) return whole(file, found[1], depth)
    for (const { specifier, as } of file.outline.reexports) {
      const type = as === '*' ? imported(file, [specifier, name], depth + 1) : undefined
      if (type) return type
    }
    return undefined
  }

  return (file) => file.outline.types.map((type) => (namesOther(type) ? whole(file, type, 0) : undefined))
}
