/** A Blueprint as PostgreSQL statements, in the order and the words of Laravel's PostgresGrammar. */
import type { SourceStatement } from '../source.ts'
import { changeColumn, columnDefinition, refuseUnfit } from './column-sql.ts'
import { conventionalName, quoteColumns, quoteName, quoteTable, quoteText } from './identifiers.ts'
import type { Blueprint, Column, Command, ForeignKey, Index, IndexType } from './model.ts'
import { columnsOf } from './model.ts'
import { PhpRefused } from './nodes.ts'

export function compileBlueprint(blueprint: Blueprint): SourceStatement[] {
  const columns = columnsOf(blueprint)
  for (const column of columns) refuseUnfit(column)
  const fluent = columns.flatMap((column) => fluentIndex(blueprint.table, column))
  const commands = [...blueprint.commands, ...fluent]
  const primary = commands.some((command) => command.kind === 'index' && command.type === 'primary')
  const created = blueprint.creating ? [createTable(blueprint, columns, primary)] : []
  const statements = commands.flatMap((command) => compileCommand(blueprint, command, primary))
  return [...created, ...statements, ...columns.flatMap((column) => comment(blueprint.table, column))]
}

function createTable(blueprint: Blueprint, columns: readonly Column[], primary: boolean): SourceStatement {
  const definitions = columns.map((column) => columnDefinition(column, primary)).join(', ')
  return { sql: `create table ${quoteTable(blueprint.table)} (${definitions})`, line: blueprint.line }
}

function compileCommand(blueprint: Blueprint, command: Command, primary: boolean): SourceStatement[] {
  const table = quoteTable(blueprint.table)
  const { line } = command
  if (command.kind === 'plain') return [{ sql: command.sql, line }]
  if (command.kind === 'foreign') return [{ sql: `alter table ${table} add constraint ${foreignKey(command)}`, line }]
  if (command.kind === 'index') return [{ sql: createIndex(table, command), line }]
  if (blueprint.creating) return []
  const sql = command.change
    ? `alter table ${table} ${changeColumn(command).join(', ')}`
    : `alter table ${table} add column ${columnDefinition(command, primary)}`
  return [{ sql, line }]
}

function createIndex(table: string, index: Index): string {
  const columns = quoteColumns(index.columns)
  const name = quoteName(index.name)
  if (index.type === 'primary') return `alter table ${table} add primary key (${columns})`
  if (index.type === 'unique') return `alter table ${table} add constraint ${name} ${unique(index, columns)}`
  if (index.type === 'fulltext') {
    const language = quoteText(index.language ?? 'english')
    const vectors = index.columns.map((column) => `to_tsvector(${language}, ${quoteColumns([column])})`)
    return `create index ${name} on ${table} using gin ((${vectors.join(' || ')}))`
  }
  const algorithm = index.type === 'spatialindex' ? 'gist' : index.algorithm
  return `create index ${name} on ${table}${algorithm ? ` using ${algorithm}` : ''} (${columns})`
}

function unique(index: Index, columns: string): string {
  if (index.algorithm) throw refused(index.line, 'unique() with an algorithm')
  const nulls =
    index.nullsNotDistinct === undefined ? '' : ` nulls ${index.nullsNotDistinct ? 'not distinct' : 'distinct'}`
  return `unique${nulls} (${columns})${deferred(index)}`
}

function foreignKey(key: ForeignKey): string {
  if (!key.on || !key.references) throw refused(key.line, 'a foreign key without references() and on()')
  const parts = [
    `${quoteName(key.name)} foreign key (${quoteColumns(key.columns)})`,
    ` references ${quoteTable(key.on)} (${quoteColumns(key.references)})`,
    key.onDelete ? ` on delete ${key.onDelete}` : '',
    key.onUpdate ? ` on update ${key.onUpdate}` : '',
    deferred(key),
    key.notValid === undefined ? '' : ' not valid',
  ]
  return parts.join('')
}

function deferred(of: Pick<ForeignKey, 'deferrable' | 'initiallyImmediate'>): string {
  if (of.deferrable === undefined) return ''
  if (!of.deferrable) return ' not deferrable'
  if (of.initiallyImmediate === undefined) return ' deferrable'
  return ` deferrable initially ${of.initiallyImmediate ? 'immediate' : 'deferred'}`
}

const fluentOrder: readonly IndexType[] = ['primary', 'unique', 'index', 'fulltext', 'spatialindex']

/** Laravel makes the first of a column's indexes in this order, and that one only. */
function fluentIndex(table: string, column: Column): Command[] {
  for (const type of fluentOrder) {
    const asked = column.indexes.get(type)
    if (asked === undefined || (asked === false && !column.change)) continue
    const name = typeof asked === 'string' ? asked : conventionalName(table, [column.name], type)
    const { line } = column
    if (asked !== false) return [{ kind: 'index', line, type, name, columns: [column.name] }]
    return [{ kind: 'plain', line, sql: dropFluent(table, type, name) }]
  }
  return []
}

function dropFluent(table: string, type: IndexType, name: string): string {
  if (type === 'primary') return `alter table ${quoteTable(table)} drop constraint ${quoteName(`${table}_pkey`)}`
  if (type === 'unique') return `alter table ${quoteTable(table)} drop constraint ${quoteName(name)}`
  return `drop index ${quoteName(name)}`
}

/** A changed column without a comment loses the one it had, as in Laravel. */
function comment(table: string, column: Column): SourceStatement[] {
  if (column.comment === undefined && !column.change) return []
  const text = column.comment === undefined ? 'NULL' : quoteText(column.comment)
  const sql = `comment on column ${quoteTable(table)}.${quoteName(column.name)} is ${text}`
  return [{ sql, line: column.line }]
}

function refused(line: number, construct: string): PhpRefused {
  return new PhpRefused({ kind: 'command', loc: { start: { line } } }, construct)
}
