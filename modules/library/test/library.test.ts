import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, test } from 'node:test'
import { startTestTenant } from '@partner/sdk/testing'
import { t } from '../src/texts.ts'

const tenant = await startTestTenant({ module: new URL('..', import.meta.url) })
after(() => tenant.stop())

const as = 'librarian'
const book = { title: 'كليلة ودمنة', author: 'ابن المقفع', isbn: '', copies: '1' }

/** Adds a book and answers with its id. */
async function addBook(title: string, copies = '1'): Promise<string> {
  const { status } = await tenant.invoke('/books', { as, data: { ...book, title, copies } })
  assert.equal(status, 303)
  const { text } = await tenant.invoke(`/?search=${encodeURIComponent(title)}`, { as })
  const id = /books\/([0-9A-Z]{26})\/lend/.exec(text)?.[1]
  assert.ok(id, text)
  return id
}

/** A student that the lending page offers for this search. */
async function findStudent(bookId: string, search: string): Promise<string> {
  const { text } = await tenant.invoke(`/books/${bookId}/lend?search=${encodeURIComponent(search)}`, { as })
  const id = /name="student_id" value="([^"]+)"/.exec(text)?.[1]
  assert.ok(id, text)
  return id
}

/** What the first lending form of a page sends. */
function formOf(text: string): Record<string, string> {
  const [, form] = /<form method="post"[^>]*loans">(.*?)<\/form>/s.exec(text) ?? assert.fail(text)
  const hidden = [...form!.matchAll(/type="hidden" name="(\w+)" value="([^"]+)"/g)].map(([, ...field]) => field)
  return Object.fromEntries(hidden.filter(([name]) => name !== '_token')) as Record<string, string>
}

test('the catalogue answers the administrator', async () => {
  const { status, text } = await tenant.invoke('/')
  assert.equal(status, 200)
  assert.match(text, /<h1>Library<\/h1>/)
})

test('a librarian lends a book to a student of the school, and takes it back', async () => {
  const bookId = await addBook('A book to lend')
  const studentId = await findStudent(bookId, 'نا')
  const lent = await tenant.invoke('/loans', { as, data: { book_id: bookId, student_id: studentId } })
  assert.deepEqual([lent.status, lent.text], [303, '/loans'])

  const { text } = await tenant.invoke('/loans', { as })
  const loanId = /loans\/([0-9A-Z]{26})\/return/.exec(text)?.[1]
  assert.ok(loanId, text)
  assert.equal((await tenant.invoke(`/loans/${loanId}/return`, { as, data: {} })).status, 303)
  assert.doesNotMatch((await tenant.invoke('/loans', { as })).text, new RegExp(loanId))
  assert.equal((await tenant.invoke(`/loans/${loanId}/return`, { as, data: {} })).status, 404)
})

test('a program may send numbers for texts, and what no form could say never reaches the app', async () => {
  const numbers = { title: 1984, author: 'George Orwell', isbn: null, copies: 2 }
  assert.equal((await tenant.invoke('/books', { as, data: numbers })).status, 303)
  assert.match((await tenant.invoke('/?search=1984', { as })).text, /2 \/ 2/)
  await assert.rejects(tenant.invoke('/books', { as, data: { ...book, title: { ar: 'كتاب' } } }), /422/)
})

test('a form that is sent twice lends one copy, and adds one book', async () => {
  const bookId = await addBook('Lent by a double click', '5')
  const page = `/books/${bookId}/lend?search=${encodeURIComponent('نا')}`
  const data = formOf((await tenant.get(page, { as })).text)
  const sent = await Promise.all([1, 2].map(() => tenant.invoke('/loans', { as, data })))
  for (const { status, text } of sent) assert.deepEqual([status, text], [303, '/loans'])
  assert.match((await tenant.invoke('/?search=Lent+by+a+double+click', { as })).text, /4 \/ 5/)
  assert.equal((await tenant.invoke('/loans', { as, data: { ...data, loan_id: 'x' } })).status, 303)

  const { text: empty } = await tenant.get('/books/new', { as })
  const id = /name="id" value="([0-9A-Z]{26})"/.exec(empty)?.[1] ?? ''
  const twice = { ...book, id, title: 'Added by a double click' }
  await Promise.all([1, 2].map(() => tenant.invoke('/books', { as, data: twice })))
  const { text: added } = await tenant.invoke('/?search=Added+by+a+double+click', { as })
  assert.equal(added.match(/Added by a double click<\/bdi>/g)?.length, 1)
})

test('the form of a loan that came back lends nothing, however often it is sent, and a new form does', async () => {
  const bookId = await addBook('Back in the shelf', '5')
  const data = formOf((await tenant.get(`/books/${bookId}/lend?search=${encodeURIComponent('نا')}`, { as })).text)
  const copies = async () => /(\d) \/ 5/.exec((await tenant.invoke('/?search=Back+in+the+shelf', { as })).text)?.[1]
  assert.equal((await tenant.invoke('/loans', { as, data })).status, 303)
  assert.equal((await tenant.invoke(`/loans/${data.loan_id}/return`, { as, data: {} })).status, 303)
  const sent = await Promise.all([1, 2].map(() => tenant.invoke('/loans', { as, data })))
  assert.deepEqual([...sent.map(({ status }) => status), await copies()], [409, 409, '5'])
  const { loan_id, ...offered } = formOf(sent[0]!.text)
  assert.deepEqual({ loan_id: data.loan_id, ...offered }, data)
  assert.notEqual(loan_id, data.loan_id)
  assert.match(sent[0]!.text, /class="notice">The book that this form lent is back/)
  for (let time = 0; time < 2; time++) await tenant.invoke('/loans', { as, data: { loan_id, ...offered } })
  assert.equal(await copies(), '4')
})

test('a form that added a book and was changed adds nothing by itself: it is shown again, to add another', async () => {
  const { text: empty } = await tenant.get('/books/new', { as })
  const idOf = (text: string) => /name="id" value="([0-9A-Z]{26})"/.exec(text)?.[1] ?? assert.fail(text)
  const first = { ...book, id: idOf(empty), title: 'Changed and sent again' }
  const count = async () =>
    (await tenant.invoke('/?search=sent+again', { as })).text.match(/sent again<\/bdi>/g)?.length
  assert.equal((await tenant.invoke('/books', { as, data: first })).status, 303)
  assert.equal((await tenant.invoke('/books', { as, data: first })).status, 303)
  for (const change of [{ title: 'Otherwise, sent again' }, { copies: '3' }, { isbn: '978' }]) {
    const { status, text } = await tenant.invoke('/books', { as, data: { ...first, ...change } })
    assert.deepEqual([status, await count()], [409, 1], text)
    assert.notEqual(idOf(text), first.id)
    for (const value of Object.values(change)) assert.ok(text.includes(`value="${value}"`), text)
    assert.match(text, /class="notice">This form has added a book already/)
  }
  const { text } = await tenant.invoke('/books', { as, data: { ...first, copies: '3' } })
  for (let time = 0; time < 2; time++)
    assert.equal((await tenant.invoke('/books', { as, data: { ...first, copies: '3', id: idOf(text) } })).status, 303)
  assert.equal(await count(), 2)
})

test('the last copy is lent once, also when two librarians lend it at the same time', async () => {
  const bookId = await addBook('One copy only')
  const data = { book_id: bookId, student_id: await findStudent(bookId, 'نا') }
  const answers = await Promise.all([1, 2, 3].map(() => tenant.invoke('/loans', { as, data })))
  assert.deepEqual(answers.map(({ status }) => status).sort(), [303, 409, 409])
})

test('a student that the school does not have cannot borrow', async () => {
  const bookId = await addBook('For nobody')
  const data = { book_id: bookId, student_id: '01ARZ3NDEKTSV4RRFFQ69G5FAV' }
  assert.equal((await tenant.invoke('/loans', { as, data })).status, 404)
  assert.match((await tenant.invoke('/?search=For+nobody', { as })).text, /1 \/ 1/)
})

test('titles and names keep their own direction on pages of the other one', async () => {
  const bookId = await addBook('C++', '2')
  const page = `/books/${bookId}/lend`
  const [, student] = /<bdi>([^<]*)<\/bdi>(?:(?!<bdi>)[\s\S])*?<td><form/.exec(
    (await tenant.get(`${page}?search=نا`, { as })).text,
  )!
  const data = { book_id: bookId, student_id: await findStudent(bookId, 'نا') }
  await tenant.invoke('/loans', { as, data })
  for (const path of ['/?search=C%2B%2B', page, '/loans'])
    assert.match((await tenant.get(path, { as })).text, /<bdi>C\+\+<\/bdi>/, path)
  assert.ok((await tenant.get('/loans', { as })).text.includes(`<bdi>${student}</bdi>`))
  assert.match((await tenant.get('/books/new', { as })).text, /<input (?=[^>]*name="title")[^>]*dir="auto"/)
})

test('the days of loans are marked as days, and the links of every page stand apart', async () => {
  const bookId = await addBook('Lent for two weeks')
  const data = { book_id: bookId, student_id: await findStudent(bookId, 'نا') }
  await tenant.invoke('/loans', { as, data })
  const { text } = await tenant.get('/loans', { as })
  assert.match(text, /<time datetime="(\d{4}-\d\d-\d\d)">\1<\/time>/)
  assert.match(text, /<nav class="toolbar">/)
})

test('a loan is taken back beside the day it is due, in the last column that a phone shows', async () => {
  const bookId = await addBook('Taken back on a phone')
  const data = { book_id: bookId, student_id: await findStudent(bookId, 'نا') }
  await tenant.invoke('/loans', { as, data })
  const { text } = await tenant.get('/loans', { as })
  assert.match(text, /<\/time>\s*<form method="post"/)
  assert.equal(text.match(/<th>/g)?.length, 3)
})

test('how many copies there are is said in words where a slash would turn the numbers round', async () => {
  await addBook('Two of two', '2')
  assert.ok((await tenant.invoke('/?search=Two+of+two', { as })).text.includes(`<td>2 ${t('en', 'of')} 2`))
  assert.deepEqual([t('en', 'of'), t('ar', 'of')], ['/', 'من'])
})

test('the overdue list is for librarians only', async () => {
  assert.equal((await tenant.invoke('/overdue', { as })).status, 200)
  for (const other of ['teacher', 'student1', 'guardian1', 'supervisor']) {
    assert.equal((await tenant.invoke('/overdue', { as: other })).status, 403, other)
  }
})

test('a book without an author is refused and its form keeps what was typed', async () => {
  const { status, text } = await tenant.invoke('/books', { as, data: { ...book, title: '<b>"x"', author: ' ' } })
  assert.equal(status, 422)
  assert.match(text, /value="&lt;b&gt;&quot;x&quot;"/)
})

test('copies may be written in Arabic digits', async () => {
  for (const [index, copies] of ['١٢', '۱۲'].entries()) {
    const title = `Twelve copies ${index}`
    assert.equal((await tenant.invoke('/books', { as, data: { ...book, title, copies } })).status, 303)
    assert.match((await tenant.invoke(`/?search=${encodeURIComponent(title)}`, { as })).text, /12 \/ 12/)
  }
})

test('the form itself says what a book needs, before it is sent', async () => {
  const { text } = await tenant.get('/books/new', { as })
  for (const name of ['title', 'author'])
    assert.match(text, new RegExp(`<input (?=[^>]*name="${name}")(?=[^>]*maxlength="300")(?=[^>]*required)[^>]*>`))
  assert.match(text, /<input (?=[^>]*name="copies")(?=[^>]*inputmode="numeric")(?=[^>]*required)[^>]*>/)
})

test('a title is found as it is typed: whichever alef, ta marbuta or digit, with vowel signs or without', async () => {
  await addBook('قِصّة أحمد في المكتبة ١٢٣')
  for (const search of ['احمد', 'المكتبه', 'قصة', 'قصه إحمد', '123', 'قـصـة']) {
    const { text } = await tenant.invoke(`/?search=${encodeURIComponent(search)}`, { as })
    assert.ok(text.includes('قِصّة أحمد'), search)
  }
  for (const search of ['%', '_', 'مدرسة أحمد'])
    assert.doesNotMatch((await tenant.invoke(`/?search=${encodeURIComponent(search)}`, { as })).text, /قِصّة أحمد/)
})

test('nobody is looked for, and nobody missed, before a student is searched', async () => {
  const bookId = await addBook('To be lent')
  const page = `/books/${bookId}/lend`
  assert.doesNotMatch((await tenant.invoke(page, { as })).text, /Nothing here yet|No student/)
  assert.match((await tenant.invoke(`${page}?search=zzzz`, { as })).text, /No student of this name/)
})

test('a book that was lent too long ago is overdue: for the librarian, and for the assistant', async () => {
  const ask = async () => (await tenant.invoke('library.loans.overdue', { as, data: {} })).json()
  assert.deepEqual(await ask(), { total: 0, overdue: [] })
  const bookId = await addBook('Lent long ago', '5')
  const data = { book_id: bookId, student_id: await findStudent(bookId, 'نا') }
  await tenant.invoke('/loans', { as, data })
  await tenant.invoke('/loans', { as, data: { ...data, lent_on: '2026-01-01' } })
  for (const day of ['2026-02-31', '0000-01-01', '1899-12-31'])
    assert.equal((await tenant.invoke('/loans', { as, data: { ...data, lent_on: day } })).status, 303, day)
  const { text } = await tenant.invoke('/overdue', { as })
  assert.equal(text.match(/<bdi>Lent long ago</g)?.length, 1)
  const { total, overdue } = (await ask()) as { total: number; overdue: object[] }
  assert.deepEqual([total, overdue.length], [1, 1])
  assert.deepEqual({ ...overdue[0], student: '' }, { title: 'Lent long ago', student: '', due_on: '2026-01-15' })
})

test('the assistant tells nobody of overdue books whom their page would not, and how many it leaves out', async () => {
  const bookId = await addBook('Lent to half a school', '60')
  const data = { book_id: bookId, student_id: await findStudent(bookId, 'نا'), lent_on: '2026-01-02' }
  await Promise.all(Array.from({ length: 51 }, () => tenant.invoke('/loans', { as, data })))
  const asked = (who: string) => tenant.invoke('library.loans.overdue', { as: who, data: {} })
  for (const other of ['administrator', 'teacher', 'student1', 'guardian1', 'supervisor']) {
    const { status, text } = await asked(other)
    assert.deepEqual([status, text], [403, '{"message":"Who has which book is for librarians."}'], other)
  }
  const { total, overdue } = (await asked(as)).json() as { total: number; overdue: object[] }
  assert.deepEqual([total, overdue.length], [52, 50])
})

test('students of one name are told apart by their birth date, where a book is lent and where it is listed', async () => {
  const bookId = await addBook('For one of two', '2')
  const page = `/books/${bookId}/lend?search=${encodeURIComponent('محمد')}`
  const { text } = await tenant.get(page, { as })
  const born =
    /<td><bdi>([^<]+)<\/bdi><br \/><small class="muted">Born <time datetime="([^"]+)">\2<\/time><\/small><\/td>/g
  const shown = [...text.matchAll(born)]
  assert.equal(shown.length, 20)
  const more = Number(/<p class="muted">(\d+) more: type more of the name\.<\/p>/.exec(text)?.[1])
  assert.ok(more > 0 && more < 2_000, text)
  const names = shown.map(([, name]) => name!)
  const labels = [...text.matchAll(/<button class="button" aria-label="([^"]+)">Lend</g)].map(([, label]) => label)
  assert.deepEqual(
    labels,
    names.map((name) => `Lend: ${name}`),
  )

  const data = { book_id: bookId, student_id: await findStudent(bookId, 'محمد'), lent_on: '2025-12-01' }
  await tenant.invoke('/loans', { as, data })
  for (const list of ['/loans', '/overdue']) {
    const { text: loans } = await tenant.get(list, { as })
    const row = loans.split('<tr>').find((one) => one.includes('For one of two')) ?? loans
    assert.deepEqual(row.match(/datetime="([^"]+)"/)?.[1], shown[0]![2], list)
    assert.ok(row.includes(`aria-label="Returned: For one of two, ${names[0]}"`), row)
  }
  const { text: catalogue } = await tenant.get('/?search=For+one+of+two', { as })
  assert.match(catalogue, /aria-label="Lend: For one of two"[^>]*>Lend</)
})

test('a student sees the books that they borrowed', async () => {
  assert.match((await tenant.invoke('/mine', { as: 'student1' })).text, /<h1>My books<\/h1>/)
  assert.equal((await tenant.invoke('/mine', { as: 'teacher' })).status, 404)
})

test('in a browser a librarian adds a book by the form, and finds it in the catalogue', async () => {
  const fields = { ...book, title: 'رحلة <ابن> بطوطة' }
  const { status, location } = await tenant.submit('/books/new', fields, { as })
  assert.deepEqual([status, location], [303, '/m/library/'])
  const page = await tenant.get('/', { as })
  assert.equal(page.status, 200)
  assert.match(page.text, /رحلة &lt;ابن&gt; بطوطة/)
})

test('the app has a name for who reads Arabic and one for who reads English', async () => {
  const { displayName } = JSON.parse(readFileSync(new URL('../manifest.json', import.meta.url), 'utf8'))
  assert.deepEqual(displayName, { ar: t('ar', 'library'), en: t('en', 'library') })
})

test('in a browser the pages of librarians are closed to others', async () => {
  assert.equal((await tenant.get('/overdue', { as: 'teacher' })).status, 403)
  assert.equal((await tenant.get('/no-such-page', { as })).status, 404)
})
