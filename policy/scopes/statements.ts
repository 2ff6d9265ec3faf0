import { at, type Builder, copy, newNode, type Tree, variableNode } from './builder.ts'
import { expression } from './expressions.ts'
import { op } from './facts.ts'
import { classValue, functionValue } from './functions.ts'
import { exportAll, exportDefault, exportNamed, importDeclaration, namespace } from './modules.ts'
import { bindPattern, load } from './patterns.ts'

export function statements(builder: Builder, list: readonly Tree[]): void {
  for (const node of list) statement(builder, node)
}

export function statement(builder: Builder, node: Tree | null | undefined): void {
  if (!node) return
  switch (node.type) {
    case 'ExpressionStatement':
      expression(builder, node.expression)
      return
    case 'VariableDeclaration':
      for (const { id, init } of node.declarations) bindPattern(builder, id, init ? expression(builder, init) : 0)
      return
    case 'FunctionDeclaration': {
      const value = functionValue(builder, node)
      const variable = node.id && builder.variables.get(node.id)
      if (variable) copy(builder, value, variableNode(builder, variable))
      builder.functionNodes.set(node, value)
      return
    }
    case 'ClassDeclaration':
      builder.functionNodes.set(node, classValue(builder, node))
      return
    case 'ReturnStatement':
      if (node.argument) returned(builder, node, expression(builder, node.argument))
      return
    case 'ThrowStatement': {
      const value = expression(builder, node.argument)
      if (value !== 0) builder.code.push(op.escape, value, at(node), 0)
      return
    }
    case 'BlockStatement':
    case 'StaticBlock':
      statements(builder, node.body)
      return
    case 'IfStatement':
      expression(builder, node.test)
      statement(builder, node.consequent)
      statement(builder, node.alternate)
      return
    case 'ForOfStatement': {
      const list = expression(builder, node.right)
      forLeft(builder, node.left, list === 0 ? 0 : load(builder, list, -1, node.right))
      statement(builder, node.body)
      return
    }
    case 'ForInStatement':
      expression(builder, node.right)
      forLeft(builder, node.left, 0)
      statement(builder, node.body)
      return
    case 'ForStatement':
      if (node.init?.type === 'VariableDeclaration') statement(builder, node.init)
      else if (node.init) expression(builder, node.init)
      if (node.test) expression(builder, node.test)
      if (node.update) expression(builder, node.update)
      statement(builder, node.body)
      return
    case 'WhileStatement':
    case 'DoWhileStatement':
      expression(builder, node.test)
      statement(builder, node.body)
      return
    case 'LabeledStatement':
      statement(builder, node.body)
      return
    case 'WithStatement':
      expression(builder, node.object)
      statement(builder, node.body)
      return
    case 'SwitchStatement':
      expression(builder, node.discriminant)
      for (const part of node.cases) {
        if (part.test) expression(builder, part.test)
        statements(builder, part.consequent)
      }
      return
    case 'TryStatement':
      statement(builder, node.block)
      if (node.handler?.param) bindPattern(builder, node.handler.param, thrown(builder))
      statement(builder, node.handler?.body)
      statement(builder, node.finalizer)
      return
    case 'ImportDeclaration':
      importDeclaration(builder, node)
      return
    case 'ExportNamedDeclaration':
      exportNamed(builder, node)
      return
    case 'ExportDefaultDeclaration':
      exportDefault(builder, node)
      return
    case 'ExportAllDeclaration':
      exportAll(builder, node)
      return
    case 'TSModuleDeclaration':
      if (node.body?.type === 'TSModuleBlock') namespace(builder, node.id, node.body.body)
      return
    case 'TSEnumDeclaration':
      for (const member of node.body.members) if (member.initializer) expression(builder, member.initializer)
      return
    case 'TSExportAssignment': {
      const value = expression(builder, node.expression)
      if (value !== 0) builder.exports.push({ name: 'default', node: value })
      return
    }
    default:
      // Types, empty statements, break, continue and debugger carry no values.
      return
  }
}

/** What a generator returns is handed out by its last step, as what it yields is by those before. */
function returned(builder: Builder, node: Tree, value: number): void {
  const { yielded, result } = builder.frame
  if (yielded === 0) copy(builder, value, result)
  else if (value !== 0) builder.code.push(op.store, yielded, -1, value, at(node))
}

function forLeft(builder: Builder, left: Tree, value: number): void {
  if (left.type !== 'VariableDeclaration') bindPattern(builder, left, value)
  else for (const { id } of left.declarations) bindPattern(builder, id, value)
}

function thrown(builder: Builder): number {
  const node = newNode(builder)
  builder.code.push(op.global, node, -1, 0)
  return node
}
