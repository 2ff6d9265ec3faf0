import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { moduleClasses } from '../../host/pages/classes.ts'
import { sanitise } from '../../host/pages/sanitise/sanitise.ts'
import { hostileHtml } from './hostile-html.ts'

const clean = (html: string) => sanitise(html, { slug: 'library', mobile: false, url: '/m/library' })

/** What must never be left, whatever the page held. */
const forbidden =
  /<(script|style|svg|math|template|noscript|iframe|frame|object|embed|meta|base|link|video|audio|applet|portal|body|html)\b|\son\w+\s*=|\sstyle\s*=|\sid\s*=|\ssrcdoc\s*=|\sformaction\s*=|\starget\s*=|javascript:|vbscript:|type="(password|file|image)"|class="[^"]*host-/i

for (const [index, html] of hostileHtml.entries()) {
  test(`hostile text ${index + 1} loses what could act: ${html.slice(0, 60).replace(/\s+/g, ' ')}`, () => {
    const once = clean(html)
    assert.doesNotMatch(once, forbidden)
    assert.equal(clean(once), once, 'cleaning twice changes nothing')
    for (const [, address] of once.matchAll(/\s(?:href|src|action)="([^"]*)"/g)) {
      assert.match(
        address!,
        /^(\/m\/library([/?#]|$)|https?:\/\/|mailto:|tel:|data:image\/(png|jpeg|gif|webp);base64,)/,
      )
    }
  })
}

test('an honest page stays as it is', () => {
  const html =
    '<main class="page"><h1>كتب</h1><table class="table"><thead><tr><th scope="col">A</th></tr></thead><tbody><tr><td class="number">1</td></tr></tbody></table></main>'
  assert.equal(clean(html), html)
})

test('every published class stays, every other goes', () => {
  for (const name of moduleClasses) assert.equal(clean(`<p class="${name}">x</p>`), `<p class="${name}">x</p>`)
  assert.equal(clean('<p class="host-button button evil">x</p>'), '<p class="button">x</p>')
})

test('forms lead below /m/<slug>/ only, and post or get only', () => {
  for (const action of [
    'https://evil.example/',
    '//evil.example',
    '/sign-out',
    '/m/other/x',
    '../other',
    '/m/library/../other',
    '/m/library/%2e%2e/x',
    'javascript:1',
    '',
  ]) {
    assert.match(
      clean(`<form action="${action}" method="dialog"></form>`),
      /^<form method="get" action="\/m\/library(\/)?"><\/form>$/,
      action,
    )
  }
  assert.equal(
    clean('<form action="/m/library/loans" method="POST"></form>'),
    '<form method="post" action="/m/library/loans"></form>',
  )
})

const hrefOn = (url: string, address: string, mobile = false) =>
  /href="([^"]*)"/.exec(sanitise(`<a href="${address}">x</a>`, { slug: 'library', mobile, url }))?.[1]
const actionOn = (url: string, attribute: string) =>
  /action="([^"]*)"/.exec(sanitise(`<form ${attribute}></form>`, { slug: 'library', mobile: false, url }))?.[1]

test('a relative address is relative to its page, as HTML says', () => {
  assert.equal(hrefOn('/m/library/loans?page=1', '?page=2'), '/m/library/loans?page=2')
  assert.equal(hrefOn('/m/library/loans?page=1', '#top'), '/m/library/loans?page=1#top')
  assert.equal(hrefOn('/m/library/books/new', 'list'), '/m/library/books/list')
  assert.equal(hrefOn('/m/library/books/new', '../loans'), '/m/library/loans')
  assert.equal(hrefOn('/m/library/books/new', '../../office'), undefined)
  for (const url of ['/m/library', '/m/library/', '/m/library?page=2']) assert.equal(hrefOn(url, 'a'), '/m/library/a')
  assert.equal(hrefOn('/m/library/mobile/books/new', '../loans', true), '/m/library/mobile/loans')
  assert.equal(hrefOn('/m/library/mobile/books', '../loans', true), undefined)
  assert.equal(actionOn('/m/library/books/new', 'method="post"'), '/m/library/books/new')
  assert.equal(actionOn('/m/library/books/new?next=1', 'action=""'), '/m/library/books/new?next=1')
})

test('an address may hold what a path may hold', () => {
  for (const [written, kept] of [
    ['/m/library/tags/new%20books', '/m/library/tags/new%20books'],
    ['/m/library/tags/new books', '/m/library/tags/new%20books'],
    ['/m/library/tags/50%25', '/m/library/tags/50%25'],
    ['/m/library/x?q=two words', '/m/library/x?q=two%20words'],
    ['/m/library/tags/كتب', '/m/library/tags/%D9%83%D8%AA%D8%A8'],
    ['mailto:a@b.example?subject=two words', 'mailto:a@b.example?subject=two words'],
  ] as const)
    assert.equal(hrefOn('/m/library', written), kept, written)
  for (const refused of [
    '/m/library//b',
    '/m/library/a%2fb',
    '/m/library/.../x',
    '/m/library/%ff',
    '/m/library/a%25%32%66b',
  ])
    assert.equal(hrefOn('/m/library', refused), undefined, refused)
})

const toldOf = (html: string, mobile = false) => {
  const told: string[] = []
  const url = mobile ? '/m/library/mobile' : '/m/library'
  sanitise(html, { slug: 'library', mobile, url }, undefined, (removed) => told.push(removed))
  return told.map((removed) => removed.replace(/ leads to no page below .*/, ''))
}

test('every address that is taken out is told of: where it begins, and nothing that may be a child’s', () => {
  for (const [html, told] of [
    ['<form action="/save?student=7"></form>', 'action="/save"'],
    ['<a href=" /m/other/x#7">x</a>', 'href="/m/other/…"'],
    ['<a href="/students/anna@x.example">x</a>', 'href="/students/…"'],
    ['<a href="webcal://cal.example/anna/token">x</a>', 'href="webcal:…"'],
    ['<a href="//anna@x.example/">x</a>', 'href="//…"'],
    ['<a href="te&#9;l:4915">x</a>', 'href="tel:…"'],
    ['<img src="https://anna@images.example/anna.png">', 'src="https://images.example/…"'],
    ['<a href="javascript:alert(7)">x</a>', 'href="javascript:…"'],
    ['<img src="https://images.example/7.png?of=7">', 'src="https://images.example/…"'],
    ['<img src="data:text/plain,7">', 'src="data:…"'],
    ['<a href="/a&quot;\nb">x</a>', 'href="/a\\"b"'],
    [`<a href="/${'x'.repeat(500)}">x</a>`, `href="/${'x'.repeat(79)}"`],
  ] as const)
    assert.deepEqual(toldOf(html), [told], html)
  assert.deepEqual(toldOf('<a href="tel:123">x</a><a href="/m/library/x">x</a>', true), [
    'href="tel:…"',
    'href="/m/library/…"',
  ])
})

test('what stays, and what names no address, is not told of', () => {
  const kept = '<a>x</a><a href="#top">x</a><a href="tel:1">x</a><img alt=""><img src=""><img src="#x"><form></form>'
  assert.deepEqual(toldOf(`${kept}<form action=""></form><a href="loans">x</a>`), [])
})

test('a field that carries the host’s form token cannot come from a module', () => {
  assert.equal(clean('<form><input name="_token" value="x"></form>'), '<form method="get" action="/m/library/"></form>')
})

test('cleaning twice is cleaning once, whatever pieces a page is made of', () => {
  const piece = fc.constantFrom(
    ...hostileHtml,
    ...'</p>|</div>|</form>|</table>|</select>|</textarea>|</svg>|<table>|<tr>|<select>|<textarea>|<svg>|<math>|<form method=post>'.split(
      '|',
    ),
    ...'<!--|-->|<![CDATA[|]]>|&lt;|&amp;lt;|&#x3c;|"|\'|>|<|=|`|\u0000|<p title="|<a href="|<img src="'.split('|'),
  )
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 8 }), (pieces) => {
      const once = clean(pieces.join(''))
      assert.equal(clean(once), once)
      assert.doesNotMatch(
        once.replace(/"[^"]*"/g, '""').replace(/&lt;/g, ''),
        /<(script|style|svg|iframe)\b|<[^>]*\son\w+=/i,
      )
    }),
    { numRuns: 3_000 },
  )
})

test('the text of a textarea stays text', () => {
  const html = '<textarea>&lt;/textarea&gt;&lt;img src=x onerror=alert(1)&gt;</textarea>'
  assert.equal(clean(html), html)
})

test('no field asks the browser for what it keeps, and none is named like the host’s token', () => {
  assert.equal(clean('<input name="a" autocomplete="current-password">'), '<input name="a" type="text" />')
  for (const tag of ['select', 'textarea', 'button']) assert.equal(clean(`<${tag} name="_token">x</${tag}>y`), 'y')
})

test('a form within a form is dropped: a browser would put its token into the outer one', () => {
  assert.doesNotMatch(clean('<form method="get"><div><form method="post"><input name="a"></form></div></form>'), /post/)
})

test('a link tells whoever it leads to nothing of the page, whatever the module says', () => {
  assert.equal(
    clean('<a href="https://ok.example" rel="opener" target="_blank">x</a>'),
    '<a rel="noopener noreferrer nofollow" href="https://ok.example">x</a>',
  )
})

test('256 kB are bytes, not characters', () => {
  assert.throws(() => clean('ك'.repeat(131_073)), /larger than 256 kB/)
  assert.equal(clean('ك'.repeat(131_072)).length, 131_072)
})

test('a mobile screen leads below mobile/ only, and nowhere outside', () => {
  const mobile = (html: string) => sanitise(html, { slug: 'library', mobile: true, url: '/m/library/mobile' })
  for (const href of ['https://ok.example', 'tel:+966500000000', '/m/library', '/m/library/mobiles', '../loans', '/'])
    assert.equal(mobile(`<a href="${href}">x</a>`), '<a>x</a>', href)
  assert.match(mobile('<a href="loans">x</a>'), /href="\/m\/library\/mobile\/loans"/)
})

test('a tag that is left out changes no other element', () => {
  for (const [html, kept] of [
    ['<tr><td>a</td></tr><b>bold</b> plain <i>it</i>', 'a<b>bold</b> plain <i>it</i>'],
    [
      '<div><td>cell</td><textarea name="note">hello</textarea><p>Important</p></div>',
      '<div>cell<textarea name="note">hello</textarea><p>Important</p></div>',
    ],
    [
      '<td>x</td><form method="post" action="delete"><button>Delete</button></form><form method="post" action="save"><input name="x"></form>',
      'x<form method="post" action="/m/library/delete"><button>Delete</button></form><form method="post" action="/m/library/save"><input name="x" type="text" /></form>',
    ],
  ] as const) {
    assert.equal(sanitise(html, { slug: 'library', mobile: false, url: '/m/library/' }), kept)
  }
})

test('an empty value stays: without it an option or a radio button sends something else', () => {
  for (const html of [
    '<select name="g" required><option value="">All</option></select>',
    '<input type="radio" name="x" value="" />',
  ]) {
    assert.match(clean(html), /<(option|input)[^>]* value=""/)
  }
})

test('an image without an address of its own has none: the page itself is no image', () => {
  for (const address of ['', ' ', '#', '#top']) assert.equal(clean(`<img src="${address}" alt="x">`), '<img alt="x" />')
})
