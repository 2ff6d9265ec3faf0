import { quoteName, quoteText } from './identifiers.ts'
import type { Column } from './model.ts'
import { refusePhp } from './nodes.ts'
import type { PhpValue } from './values.ts'
import { isArray, isRaw, toText } from './values.ts'

/** `"name" varchar(255) not null default 'x'`, the modifiers in Laravel's order. */
export function columnDefinition(column: Column, tableHasPrimary: boolean): string {
  const counts = column.autoIncrement && column.serial !== undefined
  const type = counts && column.generatedAs === undefined ? column.serial : column.type
  const parts = [
    `${quoteName(column.name)} ${type}`,
    collation(column),
    column.nullable ? ' null' : ' not null',
    defaultOf(column, (value) => ` default ${value}`),
    column.virtualAs === undefined ? '' : ` generated always as (${column.virtualAs}) virtual`,
    column.storedAs === undefined ? '' : ` generated always as (${column.storedAs}) stored`,
    column.generatedAs === undefined ? '' : identity(column),
    counts && !tableHasPrimary ? ' primary key' : '',
  ]
  return parts.join('')
}

/** What follows `alter table`, one entry an action: since Laravel 11 a change states the column anew. */
export function changeColumn(column: Column): string[] {
  const using = column.using ? ` using ${column.using}` : ''
  const counts = column.autoIncrement && column.generatedAs === undefined
  const actions = [
    `type ${column.type}${collation(column)}${using}`,
    column.nullable ? 'drop not null' : 'set not null',
    ...(counts
      ? []
      : [defaultOf(column, (value) => `set default ${value}`) || 'drop default', 'drop identity if exists']),
    ...(column.generatedAs === undefined ? [] : [`add${identity(column)}`]),
  ]
  return actions.map((action) => `alter column ${quoteName(column.name)} ${action}`)
}

/** Combinations without effect in Laravel, or that it sends to the server and the server refuses. */
export function refuseUnfit(column: Column): void {
  const place = { kind: 'column', loc: { start: { line: column.line } } }
  if (column.autoIncrement && column.serial === undefined)
    refusePhp(place, 'autoIncrement() of a column that is no integer')
  if (column.change && column.allowed) refusePhp(place, 'enum()->change(), which PostgreSQL does not take')
  if (column.change && (column.storedAs ?? column.virtualAs) !== undefined)
    refusePhp(place, 'change() of a generated column')
  const known = /^(C|POSIX|default|ucs_basic|unicode|pg_c_utf8|und-x-icu|[a-z]{2,3}(-\w+)*-x-icu)$/
  if (column.collation !== undefined && !known.test(column.collation)) {
    refusePhp(place, `collation('${column.collation}'), which PostgreSQL does not have`)
  }
  if (isArray(column.default)) refusePhp(place, 'default() of an array')
}

function collation(column: Column): string {
  return column.collation === undefined ? '' : ` collate ${quoteName(column.collation)}`
}

function defaultOf(column: Column, write: (value: string) => string): string {
  const current = column.useCurrent && column.current !== undefined ? column.current : undefined
  if (current !== undefined) return write(current)
  return column.default === undefined || column.default === null ? '' : write(defaultText(column.default))
}

/** As Laravel: everything is quoted and PostgreSQL reads it by the column's type; true is '1'. */
function defaultText(value: PhpValue): string {
  if (isRaw(value)) return value.sql
  if (typeof value === 'boolean') return value ? "'1'" : "'0'"
  return quoteText(toText(value, { kind: 'default' }))
}

function identity(column: Column): string {
  const options = column.generatedAs ? ` (${column.generatedAs})` : ''
  return ` generated ${column.always ? 'always' : 'by default'} as identity${options}`
}
