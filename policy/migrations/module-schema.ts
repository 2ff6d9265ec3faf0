/**
 * The tables and columns that a module's migrations have made so far. With it a condition such as
 * `if (! Schema::hasColumn('loans', 'fee'))` has one answer, the same wherever the migrations run.
 */
import type { Fields } from '../sql/ast.ts'
import { fieldsOf, fieldsOfAll, listOf, stringsOf, unwrap } from '../sql/ast.ts'

export type ModuleSchema = ReadonlyMap<string, ReadonlySet<string>>
export type MutableSchema = Map<string, ReadonlySet<string>>

/** The sets of columns are shared: `applyToSchema` replaces a set, it never changes one. */
export function copySchema(schema: ModuleSchema): MutableSchema {
  return new Map(schema)
}

/** Follows one statement. */
export function applyToSchema(schema: MutableSchema, tree: Fields): void {
  const [top, fields] = unwrap(tree) ?? ['', {}]
  const table = String((fields.relation as Fields | undefined)?.relname)
  if (top === 'CreateStmt' && !(fields.if_not_exists && schema.has(table))) {
    schema.set(table, new Set(fieldsOfAll(fields.tableElts, 'ColumnDef').map(({ colname }) => String(colname))))
  }
  if (top === 'DropStmt' && fields.removeType === 'OBJECT_TABLE') {
    for (const object of listOf(fields.objects)) schema.delete(stringsOf(fieldsOf(object, 'List')?.items).at(-1) ?? '')
  }
  if (top === 'AlterTableStmt') applyAlter(schema, table, fields)
  if (top === 'RenameStmt') applyRename(schema, table, fields)
}

function applyAlter(schema: MutableSchema, table: string, alter: Fields): void {
  const columns = new Set(schema.get(table))
  for (const command of fieldsOfAll(alter.cmds, 'AlterTableCmd')) {
    if (command.subtype === 'AT_AddColumn') columns.add(String(fieldsOf(command.def, 'ColumnDef')?.colname))
    if (command.subtype === 'AT_DropColumn') columns.delete(String(command.name))
  }
  if (schema.has(table)) schema.set(table, columns)
}

function applyRename(schema: MutableSchema, table: string, rename: Fields): void {
  const columns = new Set(schema.get(table))
  if (!schema.has(table)) return
  const to = String(rename.newname)
  if (rename.renameType === 'OBJECT_COLUMN' && columns.delete(String(rename.subname))) {
    schema.set(table, columns.add(to))
  }
  if (rename.renameType === 'OBJECT_TABLE') {
    schema.delete(table)
    schema.set(to, columns)
  }
}
