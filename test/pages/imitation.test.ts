import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { moduleClasses } from '../../host/pages/classes.ts'
import { errorPage } from '../../host/pages/error-page.ts'
import { modulePage } from '../../host/pages/module-page.ts'
import { sanitise } from '../../host/pages/sanitise/sanitise.ts'
import { signInPage } from '../../host/pages/sign-in-page.ts'
import { createRandom } from '../../host/seeds/random.ts'
import { inPage, launchChromium, skipLooks as skip, styled } from './chromium.ts'
import { hostileHtml } from './hostile-html.ts'

const person = { name: 'Mona', school: 'School', signOutToken: 'token' }
const pageOf = (html: string) =>
  modulePage({
    locale: 'ar',
    app: 'The library',
    person,
    content: sanitise(html, { slug: 'library', mobile: false, url: '/m/library' }),
  })

let chrome: Browser
let page: Page

before(async () => {
  if (skip) return
  chrome = await launchChromium()
  page = await chrome.newPage({ viewport: { width: 1000, height: 700 } })
})
after(async () => chrome?.close())

const tags = 'div span p a button input header main nav section ul li h1 form label table summary strong'.split(' ')
const parts = [
  ...hostileHtml,
  ...'<select><div>x</div></select>|<select><a href="/m/library">|<table><div>x|<table><tr><td><form>|<form><form>|<a href="x"><a href="y">'.split(
    '|',
  ),
  ...'<button><button>x|<h1><h2>x|<b><table><i>|<p><b><p>|<ul><li><ul><li>|<option>x|<textarea>|</div></div></section>|</body></html>'.split(
    '|',
  ),
  ...'<caption><td>x|<colgroup><div>|<fieldset><legend><div>|<details><summary><p>|<li></li></ul></div>|<dl><dd><dt><div>|<img width="90000" height="90000">'.split(
    '|',
  ),
]

/** A start tag by which a browser closes others: what is written for those would close the host's own. */
const closers =
  'button li dd dt table select option optgroup input textarea a p h1 form tr td caption fieldset details'.split(' ')
const between = 'div section span table td fieldset b ul dl p'.split(' ')
const nestings = closers.flatMap((outer) =>
  closers.flatMap((inner) =>
    [...between, 'div><section', 'section><b'].map((middle) => {
      const ends = middle.split('><').reverse().join('></')
      return `<${outer}><${middle}><${inner}>x</${inner}></${ends}></${outer}><h1>out</h1>`
    }),
  ),
)

/** Trees of such tags, some ends missing or wrong, the same in every run. */
const random = createRandom(7)
const nestable = [
  ...closers,
  ...between,
  'dl',
  'ol',
  'tr',
  'th',
  'tbody',
  'colgroup',
  'col',
  'legend',
  'summary',
  'hr',
  'main',
  's',
]
const tagged = (depth: number): string => {
  const tag = random.pick(nestable)
  const inner = depth > 0 ? Array.from({ length: 1 + random.integer(2) }, () => tagged(depth - 1)).join('') : 'x'
  const stray = random.integer(12) === 0 ? `</${random.pick(nestable)}>` : ''
  return `<${tag}>${inner}${random.integer(8) === 0 ? '' : `</${tag}>`}${stray}`
}
const trees = Array.from({ length: 3_000 }, () => `${tagged(2 + random.integer(4))}<h1>out</h1>`)

const reservedInRegion = inPage<undefined, string[]>('reserved-colours')
const outsideRegion = inPage<undefined, string[]>('outside-region')
const skeletonsOf = inPage<string[], string[]>('skeletons')

for (const colorScheme of ['light', 'dark'] as const) {
  test(`no allowed class gives a module a colour of the platform’s, or a position of its own (${colorScheme})`, {
    skip,
  }, async () => {
    await page.emulateMedia({ colorScheme })
    const singles = tags.flatMap((tag) => moduleClasses.map((name) => `<${tag} class="${name}">x</${tag}>`))
    const pairs = moduleClasses.flatMap((a) => moduleClasses.map((b) => `<a href="x" class="${a} ${b}">x</a>`))
    for (const html of [singles.join(''), pairs.join('')]) {
      await page.setContent(styled(pageOf(html)))
      assert.ok((await page.locator('.host-content *').count()) > 100)
      assert.deepEqual(await page.evaluate(reservedInRegion, undefined), [])
    }
  })
}

test('the platform’s own controls have those colours, and the comparison sees them', { skip }, async () => {
  await page.setContent(styled(pageOf('<p>x</p>').replace('<p>x</p>', '<a class="host-button">x</a>')))
  assert.notDeepEqual(await page.evaluate(reservedInRegion, undefined), [])
})

test('no markup leaves the region: around it every page is the same', { skip }, async () => {
  const pairs = parts.flatMap((one, index) => [one, one + parts[(index * 7 + 3) % parts.length]!])
  const texts = [...pairs, ...nestings, ...trees]
  const skeletons = await page.evaluate(skeletonsOf, ['', ...texts].map(pageOf))
  for (const [index, html] of texts.entries()) assert.equal(skeletons[index + 1], skeletons[0], html)
})

test('nothing of a module is laid out or painted outside its region', { skip }, async () => {
  for (const html of [parts.join('\n'), ...parts.slice(hostileHtml.length)]) {
    await page.setContent(styled(pageOf(html)))
    const outside = await page.evaluate(outsideRegion, undefined)
    assert.deepEqual(outside, [], html.slice(0, 80))
  }
})

test('the bar and the app’s name stay in sight, however far a page is scrolled', { skip }, async () => {
  await page.setContent(styled(pageOf('<p>x</p>'.repeat(500))))
  await page.evaluate('scrollTo(0, 9000)')
  const top = await page.evaluate<string>("document.elementFromPoint(500, 60)?.closest('.host-top')?.textContent")
  assert.match(top ?? '', /The library/)
})

test('the platform’s own pages fit a narrow screen, in both languages and colour schemes', { skip }, async () => {
  const folder = process.env.PAGE_PICTURES
  await page.setViewportSize({ width: 360, height: 640 })
  for (const colorScheme of ['light', 'dark'] as const)
    for (const locale of ['ar', 'en'] as const)
      for (const [name, html] of [
        ['sign-in', signInPage({ locale, token: '', next: '/', problem: 'wrong' })],
        ['error', errorPage({ locale, status: 503, person, invocationId: '01M7Y2WE2KFCXSCVP96H0F5MFN' })],
      ] as const) {
        await page.emulateMedia({ colorScheme })
        await page.setContent(styled(html))
        const width = await page.evaluate<number>('document.documentElement.scrollWidth')
        assert.ok(width <= 360, `${name} in ${locale} is ${width} pixels wide`)
        if (folder) await page.screenshot({ path: `${folder}/${name}-${locale}-${colorScheme}.png` })
      }
})
