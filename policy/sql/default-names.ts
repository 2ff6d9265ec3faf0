/**
 * The names that PostgreSQL would have given to an unnamed key or index. A key is rewritten to begin with the tenant,
 * which would change its default name, and a later `DROP CONSTRAINT notes_email_key` would miss.
 * Follows makeObjectName and ChooseIndexNameAddition of the server.
 */
const longest = 63

export function defaultName(table: string, columns: readonly string[], label: 'key' | 'fkey' | 'idx'): string {
  const addition = joined(columns)
  const room = longest - label.length - 2
  let tableLength = Buffer.byteLength(table)
  let additionLength = Buffer.byteLength(addition)
  while (tableLength + additionLength > room) {
    if (tableLength > additionLength) tableLength -= 1
    else additionLength -= 1
  }
  return `${clip(table, tableLength)}_${clip(addition, additionLength)}_${label}`
}

function joined(columns: readonly string[]): string {
  let text = ''
  for (const column of columns) {
    text += text === '' ? column : `_${column}`
    if (Buffer.byteLength(text) > longest) break
  }
  return text
}

/** The longest beginning of whole characters within so many bytes. */
function clip(text: string, bytes: number): string {
  let end = text.length
  while (Buffer.byteLength(text.slice(0, end)) > bytes) end -= 1
  return text.slice(0, end)
}
