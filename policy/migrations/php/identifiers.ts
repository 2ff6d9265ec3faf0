/** Quoting and naming as Laravel does it. */
import type { RawSql } from './values.ts'

export function quoteName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}

/** `library.books` is a table of a schema. */
export function quoteTable(table: string): string {
  return table.split('.').map(quoteName).join('.')
}

export function quoteColumns(columns: readonly (string | RawSql)[]): string {
  return columns.map((column) => (typeof column === 'string' ? quoteName(column) : column.sql)).join(', ')
}

export function quoteText(text: string): string {
  return `'${text.replaceAll("'", "''")}'`
}

/** `notes`, `['email']`, `unique` → `notes_email_unique`. */
export function conventionalName(table: string, columns: readonly string[], type: string): string {
  return `${table}_${columns.join('_')}_${type}`.toLowerCase().replaceAll(/[-.]/g, '_')
}
