import type { Fields } from '../ast.ts'
import { fieldsOf, listOf, stringOf, stringsOf } from '../ast.ts'
import type { GuardContext, NodeRules } from '../guard-context.ts'
import * as known from '../node-lists.ts'
import { clauseMends, commandMends } from '../mends.ts'
import { refuse } from '../refused.ts'
import { constraint } from './constraints.ts'
import { notTenantColumn, ownName, ownObject, serverObject } from './names.ts'
import { sequenceOptions } from './sequences.ts'

const platformColumn = 'tenant_id belongs to the platform'

export const definitionRules: NodeRules = {
  CreateStmt(node, context) {
    for (const [clause, { what, mend }] of Object.entries(clauseMends)) {
      const value = node[clause]
      const isThere = value && (!Array.isArray(value) || value.length > 0)
      if (isThere) refuse('create_table', `CREATE TABLE with ${what}`, undefined, mend)
    }
    if (node.oncommit !== undefined && node.oncommit !== 'ONCOMMIT_NOOP') refuse('create_table', 'ON COMMIT')
    context.tags.add('create_table')
  },
  ColumnDef(node, context) {
    if (!context.isData) notTenantColumn(node.colname, 'tenant_id is added by the platform')
    if (node.storage_name || node.compression) refuse('column', 'STORAGE and COMPRESSION are the host’s')
    if (listOf(node.fdwoptions).length > 0) refuse('column', 'OPTIONS')
  },
  Constraint: constraint,
  AlterTableStmt(node) {
    if (node.objtype !== 'OBJECT_TABLE') refuse('alter', `ALTER ${kindOf(node.objtype)}`)
  },
  AlterTableCmd(node, context) {
    const subtype = String(node.subtype)
    if (!known.alterTableCommands.has(subtype)) {
      const { what, mend } = commandMends[subtype] ?? { what: subtype, mend: undefined }
      refuse('alter', `${what} is not allowed`, undefined, mend)
    }
    notTenantColumn(node.name, platformColumn)
    if (node.subtype === 'AT_SetIdentity')
      sequenceOptions(listOf(fieldsOf(node.def, 'List')?.items), known.identityChanges, context)
  },
  IndexStmt(node, context) {
    if (node.tableSpace || listOf(node.options).length > 0) refuse('index', 'index options')
    if (!known.indexMethods.has(String(node.accessMethod)))
      refuse('index', `access method ${String(node.accessMethod)}`)
    ownName(node.idxname)
    if (node.unique) context.tags.add('tenant_rewrite')
    if (node.concurrent) context.tags.add('concurrent')
  },
  IndexElem(node) {
    serverObject('collation', stringsOf(node.collation))
    serverObject('operator class', stringsOf(node.opclass))
    if (listOf(node.opclassopts).length > 0) refuse('index', 'operator class options')
  },
  DropStmt(node, context) {
    if (!known.dropKinds.has(String(node.removeType))) refuse('drop', `DROP ${kindOf(node.removeType)}`)
    for (const object of listOf(node.objects)) ownObject(nameParts(object), context)
    context.tags.add('destructive')
    if (node.concurrent) context.tags.add('concurrent')
  },
  RenameStmt(node, context) {
    if (!known.renameKinds.has(String(node.renameType))) refuse('rename', `RENAME of ${kindOf(node.renameType)}`)
    notTenantColumn(node.subname, platformColumn)
    notTenantColumn(node.newname, platformColumn)
    ownName(node.newname)
    if (node.object) ownObject(nameParts(node.object), context)
  },
  CommentStmt(node, context) {
    if (!known.commentKinds.has(String(node.objtype))) refuse('comment', `COMMENT ON ${kindOf(node.objtype)}`)
    const parts = nameParts(node.object)
    ownObject(node.objtype === 'OBJECT_COLUMN' ? parts.slice(0, -1) : parts, context)
  },
  CreateSeqStmt: sequence,
  AlterSeqStmt: sequence,
  CreateEnumStmt(node, context) {
    ownObject(stringsOf(node.typeName), context)
  },
  AlterEnumStmt(node, context) {
    ownObject(stringsOf(node.typeName), context)
  },
}

function sequence(node: Fields, context: GuardContext): void {
  sequenceOptions(listOf(node.options), known.sequenceOptions, context)
  context.tags.add('serial')
}

/** A dropped, renamed or commented object is a list of names, a type name, or one bare name. */
function nameParts(object: unknown): (string | undefined)[] {
  const single = stringOf(object)
  if (single !== undefined) return [single]
  const list = fieldsOf(object, 'List')?.items ?? fieldsOf(object, 'TypeName')?.names
  return list === undefined ? refuse('name', 'a name of an unknown form') : stringsOf(list)
}

function kindOf(type: unknown): string {
  return String(type).replace(/^OBJECT_/, '')
}
