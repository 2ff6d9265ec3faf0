import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { consentPage } from '../../host/installations/consent-page.ts'
import { errorPage } from '../../host/pages/error-page.ts'
import { launcherPage } from '../../host/pages/launcher-page.ts'
import { modulePage } from '../../host/pages/module-page.ts'
import { sanitise } from '../../host/pages/sanitise/sanitise.ts'
import { signInPage } from '../../host/pages/sign-in-page.ts'
import { inPage, launchChromium, skipLooks as skip, styled } from './chromium.ts'

const oneWord = 'Abcdefghijklmnopqrstuvwxyz'.repeat(4)
const person = { name: 'منى', school: 'مدرسة التجربة', signOutToken: 'token' }
const longNamed = { name: oneWord, school: `${oneWord} ${'مدرسة التجربة '.repeat(6)}`, signOutToken: 'token' }
const contrastOfFields = inPage<undefined, number[]>('contrast-of-fields')
const asSeen = inPage<string, string>('as-seen')
const locales = ['ar', 'en'] as const

let chrome: Browser
let page: Page

before(async () => {
  if (skip) return
  chrome = await launchChromium()
  page = await chrome.newPage()
})
after(async () => chrome?.close())

const moduleShowing = (html: string, options: { app?: string; as?: typeof person } = {}) =>
  modulePage({
    locale: 'ar',
    app: options.app ?? 'المكتبة',
    person: options.as ?? person,
    content: sanitise(html, { slug: 'library', mobile: false, url: '/m/library' }),
  })

const numberOf = (script: string) => page.evaluate<number>(script)

test('names of one long word widen no page of a phone, and leave its content in sight', { skip }, async () => {
  await page.setViewportSize({ width: 360, height: 640 })
  const notice = `<main class="page"><h1>${oneWord}</h1><p class="notice">${oneWord}</p></main>`
  for (const locale of locales)
    for (const [name, html] of [
      [
        'launcher',
        launcherPage({
          locale,
          apps: [{ slug: 'a', displayName: oneWord, manifest: null, entry: '/' }],
          person: longNamed,
        }),
      ],
      ['error', errorPage({ locale, status: 404, person: longNamed })],
      ['module', moduleShowing(notice, { app: oneWord, as: longNamed })],
    ] as const) {
      await page.setContent(styled(html))
      assert.equal(await numberOf('document.documentElement.scrollWidth'), 360, `${name} in ${locale}`)
    }
  assert.equal(await numberOf(`document.querySelector('.host-content').scrollWidth`), 326)
})

test('a page grows with the size of text that its reader has set', { skip }, async () => {
  const large = await launchChromium('defaultFontSize=32')
  try {
    const enlarged = await large.newPage({ viewport: { width: 360, height: 640 } })
    for (const html of [errorPage({ locale: 'ar', status: 404, person }), moduleShowing('<p>نص</p>')]) {
      await enlarged.setContent(styled(html))
      assert.equal(await enlarged.evaluate(`getComputedStyle(document.querySelector('p')).fontSize`), '32px')
      assert.equal(await enlarged.evaluate('document.documentElement.scrollWidth'), 360)
    }
  } finally {
    await large.close()
  }
})

test('a name in Latin letters is read on an Arabic page as it is written, with its signs where they belong', {
  skip,
}, async () => {
  await page.setViewportSize({ width: 1000, height: 700 })
  const latin = 'Maths, C++'
  const named = { name: latin, school: latin, signOutToken: 'token' }
  const app = { slug: 'a', displayName: latin, manifest: null, entry: '/' }
  for (const [html, places] of [
    [moduleShowing('<p>نص</p>', { app: latin, as: named }), ['.host-person b', '.host-school', '.host-strip b']],
    [launcherPage({ locale: 'ar', apps: [app], person: named }), ['.host-app bdi']],
  ] as const) {
    await page.setContent(styled(html))
    for (const place of places) assert.equal(await page.evaluate(asSeen, place), latin, place)
  }
})

test('a date is not broken into two lines, nor do the links of a toolbar touch what is around them', {
  skip,
}, async () => {
  await page.setViewportSize({ width: 360, height: 640 })
  const links = '<a class="button" href="/m/library">الفهرس</a> '.repeat(6)
  const cells = '<td>كتاب الطالب</td><td><time datetime="2026-12-07">2026-12-07</time></td>'.repeat(2)
  await page.setContent(
    styled(moduleShowing(`<nav class="toolbar">${links}</nav><table class="table">${cells}</table>`)),
  )
  assert.equal(await numberOf(`document.querySelector('time').getClientRects().length`), 1)
  const gaps = await page.evaluate<number[]>(`(() => {
    const boxes = [...document.querySelectorAll('nav a, table')].map((one) => one.getBoundingClientRect())
    return boxes.slice(1).map((box, index) => Math.max(box.top - boxes[index].bottom, boxes[index].left - box.right))
  })()`)
  assert.ok(Math.min(...gaps) >= 8, String(gaps))
})

test('a table of usual words fits a phone, with what is to be pressed in its last column', { skip }, async () => {
  await page.setViewportSize({ width: 360, height: 640 })
  const day = '<time datetime="2026-12-07">2026-12-07</time>'
  const button = (text: string) => `${day}<form method="post"><button class="button">${text}</button></form>`
  for (const cells of [
    ['كليلة ودمنة', 'نايف نايف الغامدي', button('أعيد')],
    ['The Little Prince', 'Sofia Adam Saleh', button('Returned')],
    ['الصف الأول · 1أ', 'حاضر', 'غائب', 'متأخر', 'غياب بعذر'],
  ]) {
    const row = cells.map((cell) => `<td>${cell}</td>`).join('')
    await page.setContent(styled(moduleShowing(`<table class="table"><tr>${row}</tr></table>`)))
    const hidden = `(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)(document.querySelector('.host-content'))`
    assert.equal(await numberOf(hidden), 0, cells[0])
  }
})

const rows = Array.from({ length: 30 }, (_, row) => `<p><a href="/m/library/${row}">${row}</a></p>`).join('')
const screens = [
  [1400, 800],
  [768, 1024],
  [360, 640],
  [640, 360],
  [320, 256],
  [180, 320],
] as const

test('on no screen, however small or enlarged, does the bar cover what the keyboard has reached', {
  skip,
}, async () => {
  for (const [width, height] of screens) {
    await page.setViewportSize({ width, height })
    await page.setContent(styled(moduleShowing(`<main class="page">${rows}</main>`)))
    await page.locator('.host-content a').last().focus()
    for (let step = 1; step < 30; step++) {
      await page.keyboard.press('Shift+Tab')
      const above = await numberOf(`document.activeElement.getBoundingClientRect().top -
        Math.max(...[...document.querySelectorAll('.host-top, .host-strip')].map((one) => one.getBoundingClientRect().bottom))`)
      assert.ok(above >= 0, `${width} × ${height}, link ${30 - step}: ${-above} pixels are covered`)
    }
  }
})

test('on every screen the app’s name stays in sight and most of the screen is its page’s', { skip }, async () => {
  for (const [width, height] of screens) {
    await page.setViewportSize({ width, height })
    await page.setContent(styled(moduleShowing('<p>x</p>'.repeat(500))))
    await page.evaluate('scrollTo(0, 9000)')
    const shown = await page.evaluate<{ top: number; bottom: number }>(`(() => {
      const { top, bottom } = document.querySelector('.host-strip').getBoundingClientRect()
      return { top, bottom }
    })()`)
    assert.ok(shown.top >= 0 && shown.bottom <= height * 0.45, `${width} × ${height}: ${JSON.stringify(shown)}`)
  }
})

test('where a field begins and ends is seen: its border has three times the contrast of what is around it', {
  skip,
}, async () => {
  const fields = '<input name="a"><input name="b"><select name="c"></select><textarea name="d"></textarea>'
  const signIn = signInPage({ locale: 'ar', token: '', next: '/' })
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    for (const html of [signIn, moduleShowing(`<form class="form">${fields}</form>`)]) {
      await page.setContent(styled(html))
      const contrasts = await page.evaluate(contrastOfFields, undefined)
      assert.ok(contrasts.length >= 2 && Math.min(...contrasts) >= 3, `${colorScheme}: ${contrasts}`)
    }
  }
})

const scopes = [
  { key: 'education.students.read', required: true, reason: 'Mirrors students', dangerous: false },
  { key: 'education.face_embeddings.read', required: false, reason: 'يفتح البوابة', dangerous: true },
].map((scope) => ({ ...scope, description: { ar: 'قراءة السجلات', en: 'Reads records' } }))
const wish = {
  app: {
    appId: '',
    versionId: '',
    slug: 'gates',
    displayName: oneWord,
    version: '1',
    integrationType: 'external',
    manifest: null,
  },
  ...{ redirectUri: 'https://gates.example/', namedRedirectUri: '', state: '1' },
}

test('the consent fits a phone, its warning stands out, and both its buttons are the platform’s', {
  skip,
}, async () => {
  await page.setViewportSize({ width: 360, height: 640 })
  for (const [locale, current] of [
    ['ar', null],
    ['en', null],
    ['ar', { granted: [], asked: [] }],
  ] as const) {
    const app = { ...wish.app, scopes, clientId: 'app_x', redirectUrls: [] }
    await page.setContent(styled(consentPage(locale, { ...wish, app }, 'token', person, current)))
    assert.equal(await numberOf('document.documentElement.scrollWidth'), 360)
    const looks = await page.evaluate<unknown[]>(`(() => {
      const look = (name) => getComputedStyle(document.querySelector(name))
      const [list, safe, dangerous] = ['.host-scopes', '.host-scope', '.host-scope-dangerous'].map(look)
      const [approve, deny] = ['[value=approve]', '[value=deny]'].map(look)
      return [list.listStyleType, safe.borderTopColor === dangerous.borderTopColor, approve.borderRadius === deny.borderRadius]
    })()`)
    assert.deepEqual(looks, ['none', false, true])
  }
})
