import { type Database, type Sql, sql } from '@partner/sdk'
import { formId } from './form-id.ts'
import { rowsPerPage } from './page.ts'

export type Book = { id: string; title: string; author: string; isbn: string | null; copies: number; lent: number }

const columns = sql`id, title, author, isbn, copies, lent`

/** Letters that are typed in more than one way as one of them, and no vowel signs: as the platform's own search has it. */
const folded = (text: Sql): Sql =>
  sql`translate(lower(${text}), 'أإآٱىة٠١٢٣٤٥٦٧٨٩۰۱۲۳۴۵۶۷۸۹ـًٌٍَُِّْٰ', 'اااايه01234567890123456789')`

/** One page of the catalogue, by title. `search` is found anywhere in title, author or ISBN. */
export function listBooks(db: Database, search: string, page: number): Promise<Book[]> {
  const pattern = folded(sql`${`%${search.replace(/[\\%_]/g, '\\$&')}%`}::text`)
  const holds = (column: Sql) => sql`${folded(column)} like ${pattern}`
  const found = search === '' ? sql`true` : sql`(${holds(sql`title`)} or ${holds(sql`author`)} or ${holds(sql`isbn`)})`
  return db.rows<Book>(sql`select ${columns} from books where ${found}
    order by title, id limit ${rowsPerPage} offset ${(page - 1) * rowsPerPage}`)
}

export function findBook(db: Database, id: string): Promise<Book | null> {
  return db.row<Book>(sql`select ${columns} from books where id = ${id}`)
}

export type NewBook = Pick<Book, 'id' | 'title' | 'author' | 'isbn' | 'copies'>

/** In UTF-16 units, as a browser counts them. */
export const longestText = 300

/** A number as it may be typed on an Arabic or a Persian keyboard. */
const withLatinDigits = (text: string): string =>
  text.replace(/[٠-٩۰-۹]/g, (digit) => String(digit.charCodeAt(0) & 0xf))

/** A form's fields as a book. Null where one is missing or wrong. */
export function readBook(fields: Record<string, string | undefined>): NewBook | null {
  const [title, author, isbn] = [fields.title, fields.author, fields.isbn].map((text) => (text ?? '').trim())
  const copies = Number(withLatinDigits(fields.copies ?? ''))
  if (!title || !author || title.length > longestText || author.length > longestText) return null
  if (!Number.isInteger(copies) || copies < 1 || copies > 1000) return null
  return { id: formId(fields.id), title, author, isbn: isbn || null, copies }
}

/** Adds a book once, however often its form is sent. False where the form was changed after it had added one: it adds no other. */
export async function addBook(db: Database, { id, title, author, isbn, copies }: NewBook): Promise<boolean> {
  const added = await db.execute(sql`insert into books (id, title, author, isbn, copies)
    values (${id}, ${title}, ${author}, ${isbn}, ${copies}) on conflict do nothing`)
  if (added > 0) return true
  const same = await db.row(sql`select id from books where id = ${id} and title = ${title} and author = ${author}
    and isbn is not distinct from ${isbn} and copies = ${copies}::integer`)
  return same !== null
}
