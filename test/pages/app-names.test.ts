import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { createSchool } from '../support/school.ts'
import { startWeb, type TestWeb } from '../support/web.ts'
import { type Browser, browse, createPerson, installModule, scriptedGuest, signIn } from './support.ts'

let database: TestDatabase
let web: TestWeb
let browser: Browser

before(async () => {
  database = await createTestDatabase()
  web = await startWeb(database, { moduleCalls: scriptedGuest() })
  const school = await createSchool(database.admin)
  await installModule(database, school, 'stage', { displayName: { ar: 'المسرح', en: 'Theatre' } })
  await installModule(database, school, 'sports', { displayName: 'Sports' })
  browser = browse(web)
  await signIn(browser, await createPerson(database, school))
})
after(async () => {
  await web?.close()
  await database?.drop()
})

const inLanguage = async (path: string, locale: string) => (await browser.get(path, { 'accept-language': locale })).text

test('an app that is named in both languages has its name in the reader’s, in the launcher and on its pages', async () => {
  for (const [locale, own, other] of [
    ['ar', 'المسرح', 'Theatre'],
    ['en', 'Theatre', 'المسرح'],
  ] as const)
    for (const path of ['/', '/m/stage']) {
      const text = await inLanguage(path, locale)
      assert.ok(text.includes(own) && !text.includes(other), `${path} in ${locale}`)
    }
  assert.match(await inLanguage('/m/stage', 'ar'), /<title>المسرح<\/title>/)
  assert.match(await inLanguage('/', 'ar'), /The sports</)
})

test('the letter of an app in the launcher is its own first, after an article', async () => {
  const initials = async (locale: string) =>
    [...(await inLanguage('/', locale)).matchAll(/host-initial"[^>]*>(.)</gu)].map(([, letter]) => letter).sort()
  assert.deepEqual(await initials('en'), ['S', 'T'])
  assert.deepEqual(await initials('ar'), ['S', 'م'])
})
