/** php-parser's tree, read as untyped data: what is not recognised is refused, never guessed at. */
export type PhpNode = { readonly kind: string; readonly loc?: { readonly start: { readonly line: number } } } & {
  readonly [field: string]: unknown
}

/** A construct that the reader does not know. Refusing is the only answer: a file is translated whole or not at all. */
export class PhpRefused extends Error {
  readonly line: number

  constructor(node: PhpNode | undefined, construct: string) {
    super(construct)
    this.name = 'PhpRefused'
    this.line = node?.loc?.start.line ?? 1
  }
}

export function refusePhp(node: PhpNode | undefined, construct: string): never {
  throw new PhpRefused(node, construct)
}

export function isNode(value: unknown): value is PhpNode {
  return typeof value === 'object' && value !== null && typeof (value as PhpNode).kind === 'string'
}

export function nodesOf(value: unknown): PhpNode[] {
  return Array.isArray(value) ? value.filter(isNode) : []
}

export function lineOf(node: PhpNode): number {
  return node.loc?.start.line ?? 1
}

/** The name of an identifier, a variable or a class; undefined when it is computed. */
export function nameOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value
  return isNode(value) && typeof value.name === 'string' ? value.name : undefined
}

/** `Illuminate\Support\Facades\Schema` and `Schema` are the same to a migration. */
export function baseName(name: string): string {
  return name.slice(name.lastIndexOf('\\') + 1)
}

/** `Schema::create(...)` gives `Schema` and `create`; undefined for any other expression. */
export function staticCall(node: PhpNode): { target: string; method: string } | undefined {
  const what = node.kind === 'call' && isNode(node.what) ? node.what : undefined
  if (what?.kind !== 'staticlookup') return undefined
  const target = nameOf(what.what)
  const method = nameOf(what.offset)
  return target && method ? { target: baseName(target), method } : undefined
}

export type ChainLink = { readonly method: string; readonly arguments: readonly PhpNode[]; readonly node: PhpNode }

/** `$table->string('a')->nullable()` as its root and its calls in order; undefined when a link is no plain call. */
export function callChain(node: PhpNode): { root: PhpNode; links: ChainLink[] } | undefined {
  const links: ChainLink[] = []
  let current = node
  while (current.kind === 'call') {
    const what = current.what
    if (!isNode(what) || what.kind !== 'propertylookup' || !isNode(what.what)) break
    const method = isNode(what.offset) && what.offset.kind === 'identifier' ? nameOf(what.offset) : undefined
    if (!method) return undefined
    links.unshift({ method, arguments: nodesOf(current.arguments), node: current })
    current = what.what
  }
  return links.length > 0 ? { root: current, links } : undefined
}
