import { type Builder, newNode, type Tree } from './builder.ts'
import { op, type TypeFacts } from './facts.ts'

const maxDepth = 9
const wrappers = new Set([
  'Array',
  'ReadonlyArray',
  'Promise',
  'Readonly',
  'Partial',
  'Required',
  'NonNullable',
  'Page',
  'Iterable',
])
const ignoredSdkTypes = /^(Context|Services|Database|Db|Html|Log|Sql|Settings|Fetch|Handler|Route)|Context$|Result$/

/** Gives a node what its declared type says of identifiers; a type that says nothing costs nothing. */
export function applyType(builder: Builder, annotation: Tree | undefined, node: number): number {
  const facts = annotation && typeFacts(builder, annotation, 0)
  if (!facts) return node
  const target = node === 0 ? newNode(builder) : node
  builder.code.push(op.typed, target, builder.types.push(facts) - 1)
  return target
}

/** What the types say that this file declares, or hands on of another one. */
export function declaredTypes(builder: Builder): [string, TypeFacts][] {
  const own = [...builder.declaredTypes].flatMap(([name, type]): [string, TypeFacts][] => {
    const facts = typeFacts(builder, type, 0)
    return facts ? [[name, facts]] : []
  })
  return [...own, ...builder.importedTypes]
}

function typeFacts(builder: Builder, type: Tree, depth: number): TypeFacts | undefined {
  if (depth > maxDepth) return undefined
  const inner = (next: Tree | undefined) => (next ? typeFacts(builder, next, depth + 1) : undefined)
  switch (type.type) {
    case 'TSTypeAnnotation':
      return inner(type.typeAnnotation)
    case 'TSArrayType':
      return inner(type.elementType)
    case 'TSTypeOperator':
      return inner(type.typeAnnotation)
    case 'TSUnionType':
    case 'TSIntersectionType':
      return type.types.map(inner).find((facts) => facts !== undefined)
    case 'TSTypeReference': {
      if (type.typeName.type !== 'Identifier') return undefined
      const { name } = type.typeName
      if (builder.sdkTypes.has(name)) {
        if (/^ulid$/i.test(name)) return 'ulid'
        if (!ignoredSdkTypes.test(name) && !type.typeArguments) return 'record'
      }
      if (wrappers.has(name) || builder.sdkTypes.has(name)) return inner(type.typeArguments?.params[0])
      const declared = builder.declaredTypes.get(name)
      return declared ? inner(declared) : builder.importedTypes.get(name)
    }
    case 'TSInterfaceDeclaration':
      return fields(type.body.body, inner)
    case 'TSTypeAliasDeclaration':
      return inner(type.typeAnnotation)
    case 'TSTypeLiteral':
      return fields(type.members, inner)
    default:
      return undefined
  }
}

function fields(
  members: readonly Tree[],
  inner: (next: Tree | undefined) => TypeFacts | undefined,
): TypeFacts | undefined {
  const found: [string, TypeFacts][] = []
  for (const member of members) {
    if (member.type !== 'TSPropertySignature' || member.key.type !== 'Identifier') continue
    const facts = inner(member.typeAnnotation)
    if (facts) found.push([member.key.name, facts])
  }
  return found.length > 0 ? Object.fromEntries(found) : undefined
}
