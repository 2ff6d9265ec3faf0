import { type Html, html, type ModuleDefinition, type RouteContext, redirect, withStatus } from '@partner/sdk'
import { addBook, type Book, listBooks, longestText, readBook } from './books.ts'
import { formId } from './form-id.ts'
import { base, forLibrarians, isLibrarian, nextLink, page, pageNumber, table } from './page.ts'
import { type TextKey, t } from './texts.ts'

/** The catalogue, and adding to it. */
export const bookRoutes: ModuleDefinition['routes'] = {
  'GET /': async (context) => {
    const { db, query } = context
    const search = (query.search ?? '').trim()
    const books = await listBooks(db, search, pageNumber(query.page))
    return page(context, 'library', [
      searchForm(context, base, search),
      table(
        context,
        ['title', 'author', 'available'],
        books.map((book) => bookRow(context, book)),
      ),
      nextLink(context, '', { search }, books.length),
    ])
  },

  'GET /books/new': forLibrarians((context) => page(context, 'addBook', bookForm(context))),

  'POST /books': forLibrarians(async (context) => {
    const { body, db, locale } = context
    const book = readBook(body)
    const notice = (text: TextKey) => html`<p class="notice">${t(locale, text)}</p>`
    if (!book) return withStatus(422, page(context, 'addBook', [notice('wrongBook'), bookForm(context, body.id)]))
    if (await addBook(db, book)) return redirect('/')
    return withStatus(409, page(context, 'addBook', [notice('addedAlready'), bookForm(context)]))
  }),
}

/** A form that asks the same page again with `search`. */
export function searchForm({ locale }: RouteContext, action: string, search: string): Html {
  return html`<form class="form" method="get" action="${action}">
    <label class="field">${t(locale, 'search')} <input name="search" value="${search}" dir="auto"></label>
    <button class="button">${t(locale, 'search')}</button>
  </form>`
}

function bookRow(context: RouteContext, { id, title, author, copies, lent }: Book): Html {
  const text = t(context.locale, 'lend')
  const lend = html`<a class="button" href="${`${base}/books/${id}/lend`}" aria-label="${`${text}: ${title}`}">${text}</a>`
  return html`<tr><td><bdi>${title}</bdi></td><td><bdi>${author}</bdi></td>
    <td>${copies - lent} ${t(context.locale, 'of')} ${copies} ${lent < copies && isLibrarian(context) && lend}</td></tr>`
}

/** The form with what was typed: the one of an id, or a new one. */
function bookForm({ locale, body }: RouteContext, id?: string): Html {
  const text = (name: 'title' | 'author' | 'isbn', required: boolean) => html`<label class="field">${t(locale, name)}
      <input name="${name}" value="${body[name] ?? ''}" dir="auto" maxlength="${longestText}" required="${required}"></label>`
  return html`<form class="form" method="post" action="${`${base}/books`}">
    <input type="hidden" name="id" value="${formId(id)}">
    ${text('title', true)} ${text('author', true)} ${text('isbn', false)}
    <label class="field">${t(locale, 'copies')}
      <input name="copies" value="${body.copies ?? '1'}" inputmode="numeric" required></label>
    <button class="button">${t(locale, 'save')}</button>
  </form>`
}
