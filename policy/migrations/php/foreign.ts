/** Foreign keys: `foreign('a')->references('id')->on('b')`, and `constrained()` on a foreignId column. */
import { bindArguments } from './arguments.ts'
import { conventionalName } from './identifiers.ts'
import type { Blueprint, ForeignKey } from './model.ts'
import type { ChainLink, PhpNode } from './nodes.ts'
import { lineOf, refusePhp } from './nodes.ts'
import { plural } from './plural.ts'
import type { Scope } from './values.ts'

export function addForeign(blueprint: Blueprint, node: PhpNode, columns: readonly string[], name?: string): ForeignKey {
  const key: ForeignKey = {
    kind: 'foreign',
    line: lineOf(node),
    name: name || conventionalName(blueprint.table, columns, 'foreign'),
    columns,
  }
  blueprint.commands.push(key)
  return key
}

/** `constrained()` or `references()` on a column of foreignId's kind; undefined for any other call. */
export function foreignOfColumn(
  blueprint: Blueprint,
  column: string,
  link: ChainLink,
  scope: Scope,
): ForeignKey | undefined {
  if (link.method === 'references') {
    const given = bindArguments(link.node, link.arguments, ['column', 'indexName'], scope)
    const key = addForeign(blueprint, link.node, [column], given.text('indexName'))
    key.references = [given.name('column')]
    return key
  }
  if (link.method !== 'constrained') return undefined
  const given = bindArguments(link.node, link.arguments, ['table', 'column', 'indexName'], scope)
  const references = given.text('column') ?? 'id'
  const key = addForeign(blueprint, link.node, [column], given.text('indexName'))
  key.references = [references]
  key.on = given.text('table') ?? conventionalTable(column, references, link.node)
  return key
}

/** `user_id` → `users`. */
function conventionalTable(column: string, references: string, node: PhpNode): string {
  const at = column.lastIndexOf(`_${references}`)
  const table = plural(at === -1 ? column : column.slice(0, at))
  return table ?? refusePhp(node, `constrained() without its table, for a name whose plural is disputed (${column})`)
}

type ForeignModifier = (key: ForeignKey, link: ChainLink, scope: Scope) => void

const fixed =
  (field: 'onDelete' | 'onUpdate', action: string): ForeignModifier =>
  (key) => {
    key[field] = action
  }

const action =
  (field: 'onDelete' | 'onUpdate'): ForeignModifier =>
  (key, link, scope) => {
    const written = bindArguments(link.node, link.arguments, ['action'], scope).name('action').toLowerCase()
    if (!/^(cascade|restrict|no action|set null|set default)$/.test(written))
      refusePhp(link.node, `${field}('${written}')`)
    key[field] = written
  }

const flag =
  (field: 'deferrable' | 'initiallyImmediate' | 'notValid'): ForeignModifier =>
  (key, link, scope) => {
    key[field] = bindArguments(link.node, link.arguments, ['value'], scope).flag('value', true)
  }

export const foreignModifiers: Readonly<Record<string, ForeignModifier>> = {
  references(key, link, scope) {
    key.references = bindArguments(link.node, link.arguments, ['columns'], scope)
      .names('columns')
      .map((name) => (typeof name === 'string' ? name : refusePhp(link.node, 'references() of an expression')))
  },
  on(key, link, scope) {
    key.on = bindArguments(link.node, link.arguments, ['table'], scope).name('table')
  },
  onDelete: action('onDelete'),
  onUpdate: action('onUpdate'),
  cascadeOnDelete: fixed('onDelete', 'cascade'),
  restrictOnDelete: fixed('onDelete', 'restrict'),
  nullOnDelete: fixed('onDelete', 'set null'),
  noActionOnDelete: fixed('onDelete', 'no action'),
  cascadeOnUpdate: fixed('onUpdate', 'cascade'),
  restrictOnUpdate: fixed('onUpdate', 'restrict'),
  nullOnUpdate: fixed('onUpdate', 'set null'),
  noActionOnUpdate: fixed('onUpdate', 'no action'),
  deferrable: flag('deferrable'),
  initiallyImmediate: flag('initiallyImmediate'),
  notValid: flag('notValid'),
}
