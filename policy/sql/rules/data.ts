import type { Fields } from '../ast.ts'
import { fieldsOf, listOf, locationOf } from '../ast.ts'
import type { NodeRules } from '../guard-context.ts'
import { refuse } from '../refused.ts'
import { notTenantColumn, ownName, ownSchema } from './names.ts'

const setByHost = 'tenant_id is set by the host'

export const dataRules: NodeRules = {
  RangeVar(node, context) {
    const at = locationOf(node)
    if (node.catalogname) refuse('schema', 'a name with a database', at)
    ownSchema(node.schemaname, context, at)
    if (node.relpersistence !== undefined && node.relpersistence !== 'p')
      refuse('persistence', 'temporary or unlogged', at)
    ownName(node.relname, at)
  },
  CommonTableExpr(node) {
    // A WITH query named like a catalog relation would hide it in one scope and open the real one in the next.
    ownName(node.ctename, locationOf(node))
  },
  SelectStmt(node) {
    if (node.intoClause) refuse('into', 'SELECT INTO creates a table')
  },
  InsertStmt(node) {
    if (node.selectStmt) namedColumns(node.cols, 'INSERT')
    forTargets(node.cols)
    noOverride(node.override)
  },
  OnConflictClause(node, context) {
    forTargets(node.targetList)
    if (listOf((node.infer as Fields | undefined)?.indexElems).length > 0) context.tags.add('conflict_target')
  },
  UpdateStmt(node) {
    forTargets(node.targetList)
  },
  MergeWhenClause(node) {
    forTargets(node.targetList)
    noOverride(node.override)
    if (node.commandType === 'CMD_INSERT' && listOf(node.values).length > 0)
      namedColumns(node.targetList, 'MERGE … INSERT')
  },
  LockingClause(_node, context) {
    if (context.profile !== 'runtime') refuse('lock', 'FOR UPDATE in a migration')
  },
}

/** Without a list the values fill the table's columns in order, and the host's tenant column is one of them. */
function namedColumns(targets: unknown, statement: string): void {
  const named = listOf(targets).some((target) => fieldsOf(target, 'ResTarget')?.name)
  if (!named) refuse('insert_columns', `${statement} needs a column list`)
}

function forTargets(targets: unknown): void {
  for (const target of listOf(targets)) {
    const fields = fieldsOf(target, 'ResTarget')
    if (fields) notTenantColumn(fields.name, setByHost, locationOf(fields))
  }
}

function noOverride(override: unknown): void {
  if (override === 'OVERRIDING_SYSTEM_VALUE') refuse('override', 'OVERRIDING SYSTEM VALUE')
}
