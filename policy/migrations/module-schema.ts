/**
 * The tables and columns that a module's migrations have made so far. With it a condition such as
 * `if (! Schema::hasColumn('loans', 'fee'))` has one answer, the same wherever the migrations run.
 */
import type { Fields } from '../sql/ast.ts'
import { fieldsOf, fieldsOfAll, listOf, stringsOf, unwrap } from '../sql/ast.ts'

export type ModuleSchema = ReadonlyMap<string, ReadonlySet<string>>
export type MutableSchema = Map<string, Set<string>>

export function copySchema(schema: ModuleSchema): MutableSchema {
  return new Map([...schema].map(([table, columns]) => [table, new Set(columns)]))
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
  if (top === 'AlterTableStmt') {
    for (const command of fieldsOfAll(fields.cmds, 'AlterTableCmd')) applyCommand(schema.get(table), command)
  }
  if (top === 'RenameStmt') applyRename(schema, table, fields)
}

function applyCommand(columns: Set<string> | undefined, command: Fields): void {
  if (command.subtype === 'AT_AddColumn') columns?.add(String(fieldsOf(command.def, 'ColumnDef')?.colname))
  if (command.subtype === 'AT_DropColumn') columns?.delete(String(command.name))
}

function applyRename(schema: MutableSchema, table: string, rename: Fields): void {
  const columns = schema.get(table)
  const to = String(rename.newname)
  if (rename.renameType === 'OBJECT_COLUMN' && columns?.delete(String(rename.subname))) columns.add(to)
  if (rename.renameType === 'OBJECT_TABLE' && columns) {
    schema.delete(table)
    schema.set(to, columns)
  }
}
