import { type ImportedType, isImported, nextInstruction, op, type TypeFacts } from './facts.ts'
import type { Imports } from './imports.ts'
import { typedValue } from './loads.ts'
import { add } from './solver.ts'

/** As many files as types within types are followed through. */
const maxDepth = 5

/** Whether a type can only be told with another file at hand. */
export function namesOther(type: TypeFacts): boolean {
  if (typeof type === 'string') return false
  return isImported(type) || Object.values(type).some(namesOther)
}

/** Gives the nodes of declared types that name types of other files what these say; all files must be there. */
export function addImportedTypes(imports: Imports): void {
  const lookup: Lookup = { imports, known: new Map() }
  for (const { file, facts, node } of imports.linked.values()) {
    if (!facts.types.some(namesOther)) continue
    const types = facts.types.map((type) => (namesOther(type) ? whole(lookup, file, type, 0) : undefined))
    const { code } = facts
    for (let start = 0; start < code.length; start = nextInstruction(code, start)) {
      const type = code[start] === op.typed ? types[code[start + 2] ?? -1] : undefined
      if (type) add(imports.solver, node(code[start + 1] ?? 0), typedValue(imports.solver, type))
    }
  }
}

/** Each type is looked up once for each depth, so that what comes of it does not depend on who asked first. */
type Lookup = { readonly imports: Imports; readonly known: Map<string, TypeFacts | undefined> }

/** A type with those of other files put in; fields whose type says nothing fall away. */
function whole(lookup: Lookup, file: string, type: TypeFacts, depth: number): TypeFacts | undefined {
  if (typeof type === 'string') return type
  if (isImported(type)) return imported(lookup, file, type, depth + 1)
  const fields = Object.entries(type).flatMap(([name, field]): [string, TypeFacts][] => {
    const facts = whole(lookup, file, field, depth)
    return facts ? [[name, facts]] : []
  })
  return fields.length > 0 ? Object.fromEntries(fields) : undefined
}

function imported(lookup: Lookup, from: string, [specifier, name]: ImportedType, depth: number): TypeFacts | undefined {
  const target = lookup.imports.resolve(from, specifier)
  if (target === 'sdk') return /^ulid$/i.test(name) ? 'ulid' : undefined
  if (target === 'unknown' || depth > maxDepth) return undefined
  const key = `${depth} ${name} ${target.file}`
  if (!lookup.known.has(key)) lookup.known.set(key, declared(lookup, target.file, name, depth))
  return lookup.known.get(key)
}

function declared(lookup: Lookup, file: string, name: string, depth: number): TypeFacts | undefined {
  const facts = lookup.imports.linked.get(file)?.facts
  const found = facts?.declaredTypes.find(([known]) => known === name)
  if (found) return whole(lookup, file, found[1], depth)
  for (const { specifier, as } of facts?.reexports ?? []) {
    const type = as === '*' ? imported(lookup, file, [specifier, name], depth + 1) : undefined
    if (type) return type
  }
  return undefined
}
