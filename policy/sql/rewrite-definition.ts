import type { Fields } from './ast.ts'
import { fieldsOf, listOf, nodeOf, unwrap } from './ast.ts'
import { emitStatement, parseAllowed, quoteIdentifier, RewriteRefused } from './emit.ts'
import { mapSchema } from './map-schema.ts'
import { createNames, followNames, type NamesInUse } from './names-in-use.ts'
import type { AllowedStatement } from './result.ts'
import { rewriteRuntimeStatement } from './rewrite-runtime.ts'
import { liftKeys, tenantConstraint, tenantIndex } from './tenant-keys.ts'

export type RewriteOptions = {
  /** The schema as the module's texts name it: `m_<slug>`. */
  readonly schema: string
  /** Where it runs; default `schema`. The sandbox's `s_<slug>` otherwise. search_path must lead there. */
  readonly runSchema?: string
  /** Gets DML on each table and USAGE on sequences; never TRUNCATE, REFERENCES, TRIGGER. */
  readonly runtimeRole: string
  /** Of the statements before, noted from call to call: an unnamed one of the same words counts on. */
  readonly names?: NamesInUse
}

/**
 * What to run in place of one allowed statement of a migration, in order and in one transaction. Tables get the tenant
 * column, tenant-first keys, forced row-level security and grants. Throws RewriteRefused when that cannot be done
 * faithfully. `CREATE TABLE IF NOT EXISTS` over an existing table fails at its policy: a migration runs once. The
 * statement's tree, where it is given, is changed in place.
 */
export function rewriteMigrationStatement(
  statement: AllowedStatement & { readonly tree?: Fields },
  options: RewriteOptions,
): string[] {
  const run = options.runSchema ?? options.schema
  if (statement.class === 'data') return [rewriteRuntimeStatement(statement, options).text]
  const moved = statement.tags.includes('qualified') && run !== options.schema
  const tree = statement.tree ?? parseAllowed(statement.text)
  if (moved) mapSchema(tree, { from: options.schema, to: run, changed: () => {} })
  const [top, fields] = unwrap(tree) ?? ['', {}]
  const names = options.names ?? createNames()
  followNames(names, top, fields)
  const followers = rewriters[top]?.(fields, options.runtimeRole, names)
  const text = followers || moved ? emitStatement(tree) : statement.text
  const sequences = statement.tags.includes('serial') ? [grantSequences(run, options.runtimeRole)] : []
  return [text, ...(followers ?? []), ...sequences]
}

/** Changes the tree in place and answers the statements that must follow; undefined when the tree is as it was. */
type Rewriter = (fields: Fields, role: string, names: NamesInUse) => string[] | undefined

const rewriters: Readonly<Record<string, Rewriter>> = {
  CreateStmt: rewriteTable,
  AlterTableStmt: rewriteAlter,
  IndexStmt: (index, _role, names) => (tenantIndex(index, tableOf(index), names) ? [] : undefined),
}

function rewriteTable(create: Fields, role: string, names: NamesInUse): string[] {
  const table = tableOf(create)
  const elements = listOf(create.tableElts)
  const columns = elements.filter((element) => fieldsOf(element, 'ColumnDef'))
  const keys = columns.flatMap((column) => liftKeys(fieldsOf(column, 'ColumnDef') ?? {}, table, names))
  const others = elements.filter((element) => !fieldsOf(element, 'ColumnDef'))
  for (const other of others) tenantConstraint(fieldsOf(other, 'Constraint') ?? {}, table, names)
  create.tableElts = [...columns, tenantDefinition(), ...others, ...keys]
  return protectTable(create, role)
}

function rewriteAlter(alter: Fields, _role: string, names: NamesInUse): string[] | undefined {
  const table = tableOf(alter)
  const added: Fields[] = []
  let changed = false
  for (const node of listOf(alter.cmds)) {
    const command = fieldsOf(node, 'AlterTableCmd') ?? {}
    const constraint = fieldsOf(command.def, 'Constraint')
    if (command.subtype === 'AT_AddConstraint' && constraint) {
      tenantConstraint(constraint, table, names)
      changed = true
    }
    const column = fieldsOf(command.def, 'ColumnDef')
    if (command.subtype === 'AT_AddColumn' && column) added.push(...liftKeys(column, table, names).map(addConstraint))
  }
  alter.cmds = [...listOf(alter.cmds), ...added]
  return changed || added.length > 0 ? [] : undefined
}

function addConstraint(constraint: Fields): Fields {
  return nodeOf('AlterTableCmd', { subtype: 'AT_AddConstraint', def: constraint, behavior: 'DROP_RESTRICT' })
}

function tableOf(fields: Fields): string {
  return String((fields.relation as Fields).relname)
}

function tenantDefinition(): unknown {
  const tree = parseAllowed('create table t (tenant_id text not null default gate.tenant())')
  const [column] = listOf(fieldsOf(tree, 'CreateStmt')?.tableElts)
  if (column === undefined) throw new RewriteRefused('the tenant column cannot be made')
  return column
}

function protectTable(create: Fields, role: string): string[] {
  const { schemaname, relname } = create.relation as { schemaname?: string; relname: string }
  const table = `${schemaname ? `${quoteIdentifier(schemaname)}.` : ''}${quoteIdentifier(relname)}`
  const mine = 'tenant_id = (select gate.tenant())'
  return [
    `alter table ${table} enable row level security`,
    `alter table ${table} force row level security`,
    `create policy tenant on ${table} using (${mine}) with check (${mine})`,
    `grant select, insert, update, delete on ${table} to ${quoteIdentifier(role)}`,
  ]
}

/** A serial column's sequence gets a name of the server's choosing, so all of the schema's are granted: USAGE only. */
function grantSequences(schema: string, role: string): string {
  return `grant usage on all sequences in schema ${quoteIdentifier(schema)} to ${quoteIdentifier(role)}`
}
