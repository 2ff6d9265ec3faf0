import { at, type Builder, copy, innerClassVariable, nameOf, newNode, type Tree, variableNode } from './builder.ts'
import { expression } from './expressions.ts'
import { allocations, op } from './facts.ts'
import { allocateList, bindPattern, keyName } from './patterns.ts'
import { statements } from './statements.ts'

type FunctionTree = Extract<Tree, { type: 'ArrowFunctionExpression' | 'FunctionExpression' | 'FunctionDeclaration' }>
type ClassTree = Extract<Tree, { type: 'ClassDeclaration' | 'ClassExpression' }>

/** A function's value; its body is read where it stands. */
export function functionValue(builder: Builder, node: FunctionTree): number {
  const value = newNode(builder)
  builder.code.push(op.allocate, value, allocations.indexOf('function'), readFunction(builder, node, undefined))
  return value
}

function readFunction(
  builder: Builder,
  node: FunctionTree,
  owner: { self: number; parentClass: number } | undefined,
): number {
  const { frame: outer, alike } = builder
  // What a function makes when it is called is its own.
  builder.alike = undefined
  const arrow = node.type === 'ArrowFunctionExpression'
  const self = owner?.self ?? (arrow ? outer.self : newNode(builder))
  const result = newNode(builder)
  const facts = { parameters: node.params.map(() => newNode(builder)), rest: 0, result, self }
  const last = node.params.at(-1)
  if (last?.type === 'RestElement') facts.rest = facts.parameters.pop() ?? 0
  const index = builder.functions.push(facts) - 1
  builder.frame = {
    result,
    self,
    parentClass: owner?.parentClass ?? (arrow ? outer.parentClass : 0),
    yielded: node.generator ? newNode(builder) : 0,
    depth: outer.depth + 1,
  }
  if (node.generator) allocateList(builder, builder.frame.yielded)
  copy(builder, builder.frame.yielded, result)
  node.params.forEach((parameter, position) => {
    if (parameter.type === 'RestElement') bindPattern(builder, parameter.argument, facts.rest)
    else bindPattern(builder, parameter, facts.parameters[position] ?? 0)
    if (parameter.type === 'TSParameterProperty' && facts.parameters[position])
      storeProperty(builder, parameter, self, facts.parameters[position])
  })
  if (node.body?.type === 'BlockStatement') statements(builder, node.body.body)
  else if (node.body) copy(builder, expression(builder, node.body), result)
  builder.frame = outer
  builder.alike = alike
  return index
}

/** `constructor(private services: Services)` is also `this.services = services`. */
function storeProperty(
  builder: Builder,
  parameter: Extract<Tree, { type: 'TSParameterProperty' }>,
  self: number,
  value: number,
): void {
  const target = parameter.parameter.type === 'AssignmentPattern' ? parameter.parameter.left : parameter.parameter
  if (target.type === 'Identifier')
    builder.code.push(op.store, self, nameOf(builder, target.name), value, at(parameter))
}

/** A class: what its instances hold, what it holds itself, and what it extends. */
export function classValue(builder: Builder, node: ClassTree): number {
  const value = newNode(builder)
  const self = newNode(builder)
  const parent = node.superClass ? expression(builder, node.superClass) : 0
  const members: [number, number][] = []
  const statics: [number, number][] = []
  const index = builder.classes.push({ parent, constructor_: -1, members, statics, self }) - 1
  let constructor_ = -1
  const outer = builder.frame
  for (const member of node.body.body) {
    builder.frame = {
      result: 0,
      self: 'static' in member && member.static ? value : self,
      parentClass: parent,
      yielded: 0,
      depth: outer.depth + 1,
    }
    if (member.type === 'StaticBlock') statements(builder, member.body)
    else if (member.type === 'MethodDefinition') {
      if (member.value.type !== 'FunctionExpression') continue
      const owner = { self: builder.frame.self, parentClass: parent }
      const method = readFunction(builder, member.value, owner)
      if (member.kind === 'constructor') constructor_ = method
      else record(builder, member, method, member.static ? statics : members)
    } else if (member.type === 'PropertyDefinition' || member.type === 'AccessorProperty') {
      const held = member.value ? expression(builder, member.value) : 0
      const name = keyName(builder, member.key, member.computed)
      if (held !== 0 && name < 0) builder.code.push(op.protocol, held, at(member))
      if (held !== 0) (member.static ? statics : members).push([name, held])
    }
    for (const decorator of 'decorators' in member ? member.decorators : [])
      decorate(builder, decorator.expression, value)
  }
  builder.frame = outer
  for (const decorator of node.decorators) decorate(builder, decorator.expression, value)
  const facts = builder.classes[index]
  if (facts) builder.classes[index] = { ...facts, constructor_ }
  builder.code.push(op.allocate, value, allocations.indexOf('class'), index)
  if (node.id) {
    const outside = builder.variables.get(node.id)
    const inside = innerClassVariable(builder.scopeManager, node)
    if (outside) copy(builder, value, variableNode(builder, outside))
    if (inside && inside !== outside) copy(builder, value, variableNode(builder, inside))
  }
  return value
}

function record(
  builder: Builder,
  member: Extract<Tree, { type: 'MethodDefinition' }>,
  method: number,
  into: [number, number][],
): void {
  const node = newNode(builder)
  const name = keyName(builder, member.key, member.computed)
  const facts = builder.functions[method]
  if (member.kind === 'get' && facts) copy(builder, facts.result, node)
  else if (member.kind === 'set' && facts) {
    // A setter is called with whatever is written under its name.
    if (facts.parameters[0]) builder.code.push(op.load, facts.self, name, facts.parameters[0], at(member))
    return
  } else {
    builder.code.push(op.allocate, node, allocations.indexOf('function'), method)
    if (name < 0) builder.code.push(op.protocol, node, at(member))
  }
  into.push([name, node])
}

/** A decorator may replace what it stands on, so the class leaves the scan's sight. */
function decorate(builder: Builder, decorator: Tree, value: number): void {
  const callee = expression(builder, decorator)
  if (callee !== 0) builder.code.push(op.call, callee, 0, newNode(builder), at(decorator), 0, -1, 1, value)
}
