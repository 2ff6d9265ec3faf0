/** Keys of a module's tables begin with the tenant: a key that did not would let one school see or block another's. */
import type { Fields } from './ast.ts'
import { fieldsOf, listOf, nodeOf, stringNode, stringsOf } from './ast.ts'
import { takeName } from './default-names.ts'
import { indexColumns } from './index-columns.ts'
import { indexWords } from './index-words.ts'
import { RewriteRefused } from './emit.ts'
import type { NamesInUse } from './names-in-use.ts'
import { tenantColumn } from './rules/names.ts'

/** Rewrites a table constraint in place. */
export function tenantConstraint(constraint: Fields, table: string, inUse: NamesInUse): void {
  if (constraint.contype === 'CONSTR_PRIMARY' || constraint.contype === 'CONSTR_UNIQUE')
    tenantUnique(constraint, table, inUse)
  if (constraint.contype === 'CONSTR_FOREIGN') tenantForeign(constraint, table, inUse)
}

function tenantUnique(constraint: Fields, table: string, inUse: NamesInUse): void {
  const keys = listOf(constraint.keys)
  if (keys.length === 0) return // USING INDEX: the index was rewritten when it was made
  if (constraint.contype === 'CONSTR_UNIQUE') {
    const columns = names([...keys, ...listOf(constraint.including)])
    constraint.conname = takeName(inUse, constraint.conname, { table, words: columns, columns, label: 'key' })
  }
  constraint.keys = leadByTenant(keys)
}

function tenantForeign(constraint: Fields, table: string, inUse: NamesInUse): void {
  const own = listOf(constraint.fk_attrs)
  if (constraint.fk_matchtype === 'f') {
    if (own.length > 1) throw new RewriteRefused('MATCH FULL over several columns: leave MATCH out')
    constraint.fk_matchtype = 's' // with one column of the module's own they say the same
  }
  if (constraint.fk_del_action === 'n' || constraint.fk_del_action === 'd') {
    // SET NULL without a list would clear tenant_id too.
    if (listOf(constraint.fk_del_set_cols).length === 0) constraint.fk_del_set_cols = structuredClone(own)
  }
  const columns = names(own)
  constraint.conname = takeName(inUse, constraint.conname, { table, words: columns, columns, label: 'fkey' })
  constraint.fk_attrs = [stringNode(tenantColumn), ...own]
  if (listOf(constraint.pk_attrs).length > 0) {
    constraint.pk_attrs = [stringNode(tenantColumn), ...listOf(constraint.pk_attrs)]
  }
}

function names(nodes: readonly unknown[]): string[] {
  return stringsOf(nodes).map((name) => name ?? 'expr')
}

function leadByTenant(keys: readonly unknown[]): unknown[] {
  const others = keys.filter((_, at) => stringsOf(keys)[at] !== tenantColumn)
  return [stringNode(tenantColumn), ...others]
}

const lifted = new Set(['CONSTR_PRIMARY', 'CONSTR_UNIQUE', 'CONSTR_FOREIGN'])

/** The flags that DEFERRABLE and the like, which follow a column's constraint, mean on a table's constraint. */
const attributes: Readonly<Record<string, Fields>> = {
  CONSTR_ATTR_DEFERRABLE: { deferrable: true },
  CONSTR_ATTR_NOT_DEFERRABLE: {},
  CONSTR_ATTR_DEFERRED: { deferrable: true, initdeferred: true },
  CONSTR_ATTR_IMMEDIATE: {},
}

/** Takes keys out of a column's definition and answers them as constraints of the table, tenant first. */
export function liftKeys(column: Fields, table: string, inUse: NamesInUse): Fields[] {
  const keys: Fields[] = []
  const kept: unknown[] = []
  let key: Fields | undefined
  for (const node of listOf(column.constraints)) {
    const constraint = fieldsOf(node, 'Constraint') ?? {}
    const kind = String(constraint.contype)
    if (lifted.has(kind)) {
      key = tableForm(constraint, String(column.colname))
      keys.push(key)
    } else if (key && kind in attributes) {
      Object.assign(key, attributes[kind])
    } else if (key && kind.startsWith('CONSTR_ATTR_')) {
      throw new RewriteRefused('ENFORCED after a column’s key: write the key as a constraint of the table')
    } else {
      if (!kind.startsWith('CONSTR_ATTR_')) key = undefined
      kept.push(node)
    }
  }
  if (keys.length > 0) {
    if (kept.length > 0) column.constraints = kept
    else delete column.constraints
  }
  for (const constraint of keys) tenantConstraint(constraint, table, inUse)
  return keys.map((constraint) => nodeOf('Constraint', constraint))
}

function tableForm(constraint: Fields, column: string): Fields {
  const columns = [stringNode(column)]
  return constraint.contype === 'CONSTR_FOREIGN'
    ? { ...constraint, fk_attrs: columns }
    : { ...constraint, keys: columns }
}

/** Rewrites CREATE INDEX in place. Other access methods than btree serve searches inside values and stay as written. */
export function tenantIndex(index: Fields, table: string, inUse: NamesInUse): boolean {
  const elements = listOf(index.indexParams)
  const words = indexWords([...elements, ...listOf(index.indexIncludingParams)])
  const name = takeName(inUse, index.idxname, { table, words, columns: indexColumns(index), label: 'idx' })
  if (!index.unique && index.accessMethod !== 'btree') return false
  index.idxname = name
  if (words[0] === tenantColumn) return true
  const others = elements.filter((element) => fieldsOf(element, 'IndexElem')?.name !== tenantColumn)
  index.indexParams = [tenantElement(), ...others]
  return true
}

export function tenantElement(): Fields {
  const order = { ordering: 'SORTBY_DEFAULT', nulls_ordering: 'SORTBY_NULLS_DEFAULT' }
  return nodeOf('IndexElem', { name: tenantColumn, ...order })
}
