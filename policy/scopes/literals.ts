import { at, type Builder, nameOf, newNode, type Tree } from './builder.ts'
import { expression } from './expressions.ts'
import { allocations, op } from './facts.ts'
import { keyName, literalText, load } from './patterns.ts'

/** An object that is written out. */
export function objectValue(builder: Builder, node: Extract<Tree, { type: 'ObjectExpression' }>): number {
  const result = allocate(builder, 'object')
  readEach(builder, node.properties, (property) => readProperty(builder, result, property))
  return result
}

type PropertyTree = Extract<Tree, { type: 'ObjectExpression' }>['properties'][number]

function readProperty(builder: Builder, result: number, property: PropertyTree): void {
  if (property.type === 'SpreadElement') {
    const source = expression(builder, property.argument)
    if (source !== 0) builder.code.push(op.spread, source, result)
    return
  }
  const name = keyName(builder, property.key, property.computed)
  if (name >= 0 && builder.names[name] === 'requiredScopes') requiredScopes(builder, property.value)
  const value = expression(builder, property.value)
  if (value === 0) return
  if (property.kind === 'set') {
    // A setter is called with whatever is written under its name.
    const written = load(builder, result, name, property)
    builder.code.push(op.call, value, result, newNode(builder), at(property), 0, -1, 1, written)
  } else if (name === nameOf(builder, '__proto__') && !property.computed) {
    builder.code.push(op.spread, value, result)
  } else if (property.kind === 'get') {
    // What a getter returns is what reading the property gives.
    const read = newNode(builder)
    builder.code.push(op.call, value, result, read, at(property), 0, -1, 0, op.store, result, name, read, at(property))
  } else {
    if (name < 0) builder.code.push(op.protocol, value, at(property))
    builder.code.push(op.store, result, name, value, at(property))
  }
}

function requiredScopes(builder: Builder, list: Tree): void {
  if (list.type !== 'ArrayExpression') return
  for (const element of list.elements) {
    const text = literalText(builder, element ?? undefined)
    if (element && text !== undefined) builder.requiredScopes.push([text, at(element)])
  }
}

/** A list that is written out. */
export function arrayValue(builder: Builder, node: Extract<Tree, { type: 'ArrayExpression' }>): number {
  const result = allocate(builder, 'array')
  let exact = node.elements.length <= mostApart
  readEach(builder, node.elements, (element, index) => {
    if (!element) return
    const value = expression(builder, element)
    if (element.type === 'SpreadElement') {
      exact = false
      if (value !== 0) builder.code.push(op.store, result, -1, load(builder, value, -1, element), at(element))
    } else if (value !== 0) {
      builder.code.push(op.store, result, exact ? nameOf(builder, String(index)) : -1, value, at(element))
    }
  })
  return result
}

/** How many entries of a literal are told apart; each would be a value for whoever looks into a table of thousands. */
const mostApart = 256

function readEach<Part>(builder: Builder, parts: readonly Part[], read: (part: Part, index: number) => void): void {
  const outer = builder.alike
  const alike = outer ?? (parts.length > mostApart ? { made: new Map(), next: 0 } : undefined)
  builder.alike = alike
  parts.forEach((part, index) => {
    if (alike && !outer) alike.next = 0
    read(part, index)
  })
  builder.alike = outer
}

/** The node of an object or list that the code makes; in a long literal that of the one at the same place of another entry. */
export function allocate(builder: Builder, kind: 'object' | 'array'): number {
  const { alike } = builder
  if (!alike) return allocateAnew(builder, kind)
  const place = `${kind} ${alike.next++}`
  const result = alike.made.get(place) ?? allocateAnew(builder, kind)
  alike.made.set(place, result)
  return result
}

function allocateAnew(builder: Builder, kind: 'object' | 'array'): number {
  const result = newNode(builder)
  const lasting = builder.frame.depth === 0 ? (kind === 'object' ? 'lastingObject' : 'lastingArray') : kind
  builder.code.push(op.allocate, result, allocations.indexOf(lasting), builder.objects++)
  return result
}
