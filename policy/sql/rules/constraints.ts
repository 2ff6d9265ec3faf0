import type { Fields } from '../ast.ts'
import { listOf, locationOf, stringsOf } from '../ast.ts'
import type { GuardContext } from '../guard-context.ts'
import { constraintKinds, identityOptions } from '../node-lists.ts'
import { refuse } from '../refused.ts'
import { ownName, tenantColumn } from './names.ts'
import { sequenceOptions } from './sequences.ts'

const keys = new Set(['CONSTR_PRIMARY', 'CONSTR_UNIQUE', 'CONSTR_FOREIGN'])

/** Keys are rewritten to begin with the tenant; what cannot be rewritten safely is refused here, before anything runs. */
export function constraint(node: Fields, context: GuardContext): void {
  const kind = String(node.contype)
  const at = locationOf(node)
  if (kind === 'CONSTR_EXCLUSION') refuse('constraint', 'EXCLUDE cannot be kept to one tenant: use UNIQUE', at)
  if (!constraintKinds.has(kind)) refuse('constraint', `${kind.replace('CONSTR_', '')} constraint`, at)
  if (node.indexspace) refuse('constraint', 'USING INDEX TABLESPACE', at)
  if (node.indexname && kind !== 'CONSTR_UNIQUE' && kind !== 'CONSTR_PRIMARY') refuse('constraint', 'USING INDEX', at)
  if (kind === 'CONSTR_IDENTITY') sequenceOptions(listOf(node.options), identityOptions, context)
  else if (listOf(node.options).length > 0) refuse('constraint', 'WITH options', at)
  if (node.without_overlaps || node.fk_with_period) refuse('constraint', 'a temporal key', at)
  ownName(node.conname, at)
  if (kind === 'CONSTR_FOREIGN') foreignKey(node, context, at)
  if (keys.has(kind)) context.tags.add('tenant_rewrite')
}

function foreignKey(node: Fields, context: GuardContext, at: number | undefined): void {
  context.tags.add('foreign_key')
  if (node.fk_upd_action === 'n' || node.fk_upd_action === 'd') {
    refuse('constraint', 'ON UPDATE SET NULL or SET DEFAULT would clear the tenant: use CASCADE or NO ACTION', at)
  }
  const columns = [...stringsOf(node.fk_attrs), ...stringsOf(node.pk_attrs), ...stringsOf(node.fk_del_set_cols)]
  if (columns.includes(tenantColumn)) {
    refuse('tenant', 'tenant_id is added to foreign keys by the platform: name your own columns only', at)
  }
}
