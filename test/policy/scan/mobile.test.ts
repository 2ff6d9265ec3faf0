import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readMobilePage } from '../../../policy/scan/mobile-html.ts'
import { brief, scanFiles } from '../support/module.ts'

const entry = "import { defineModule } from '@partner/sdk'\nexport default defineModule({})\n"

test('mobile pages link inside mobile/ only', async (context) => {
  const page =
    '<a href="./b.html">b</a>\n<a href="https://x.example">x</a>\n<form action="/apps">\n<meta http-equiv="refresh" content="0; url=../src/x">\n<img src="data:image/png;base64,AA==">'
  const report = await scanFiles(context, { 'src/index.ts': entry, 'mobile/a.html': page })
  assert.deepEqual(
    brief(report),
    [2, 3, 4].map((line) => `mobile-link mobile/a.html:${line}`),
  )
})

test('scripts inside mobile pages are read like those in files, at their own lines; data blocks are not', async (context) => {
  const page =
    '<p>\n<script>const a = 1\n eval(x)</script>\n<script type="application/json">{"a": eval}</script>\n<script type="module">const a = 1;new Function(x)</script>\n<script>const = 1</script>'
  const report = await scanFiles(context, { 'src/index.ts': entry, 'mobile/a.html': page })
  assert.deepEqual(
    report.findings.map(({ rule, line, column }) => [rule, line, column]),
    [
      ['dynamic-code', 3, 2],
      ['dynamic-code', 5, 39],
      ['file-not-parsable', 6, 14],
    ],
  )
})

const findingsIn = (page: string, file = 'mobile/a.html') =>
  readMobilePage(file, `<!doctype html>\n<body>\n${page}\n</body>`).findings.map(({ rule, line }) => `${rule}:${line}`)

const refused = [
  '<a href="&#104;ttps://evil.example">',
  '<a href="&#47;&#47;evil.example">',
  '<a href="https&colon;//evil.example">',
  '<a href="ht\ttps://evil.example">',
  '<a href="\u0001https://evil.example">',
  '<a href="\\\\evil.example">',
  '<a href="%2e%2e/src/x">',
  '<a href="//one.invalid/one/mobile/a.html">',
  '<a href="/mobile/a.html">',
  '<a href=/x>',
  '<a/href="/x">',
  '<a title="a > b" href="/x">',
  '<meta http-equiv="&#114;efresh" content="0; url=&#47;/evil.example">',
  '<meta content="0;https://evil.example" http-equiv=refresh>',
  '<meta http-equiv=refresh content="0 URL = \'/x\'">',
  '<a ping="./a https://evil.example">',
  '<img srcset="a.png 1x,https://evil.example/b.png 2x">',
  '<object data="/x">',
  '<button formaction="https://evil.example">',
  '<iframe srcdoc="<a href=//evil.example>x</a>">',
  '<svg><a xlink:href="/x"/></svg>',
  '<svg><style><a href="/x"></style></svg>',
  '<svg><animate attributeName="href" values="#a;https://evil.example"/></svg>',
  '<base href="./">',
  '<!--> <a href="/x"> -->',
]
for (const page of refused)
  test(`mobile-link refuses ${page}`, () => assert.deepEqual(findingsIn(page), ['mobile-link:3']))

const honest = [
  '<a href="b.html?id=1#c">, <a href="">, <a href="?a:b">, <a href="../mobile/b.html">',
  '<button data-action="save:all" data-src="/x" data-href="/y">',
  '<script>const action = "/y"; let src = "https://x.example"</script>',
  '<base-card>x</base-card>',
  '<!-- <a href="https://old.example">x</a> -->',
  '<title>how to write <a href="/x"></title>',
  '<img srcset="a.png 1x, data:image/jpeg;base64,/9j/4AA 2x" src="data:image/png;base64,AA==">',
  '<meta name="description" content="0; url=/x">',
  '<svg><use href="#a"/></svg><input value="https://x.example">',
]
for (const page of honest) test(`mobile-link leaves alone ${page}`, () => assert.deepEqual(findingsIn(page), []))

test('the lines of a page are those of its elements, in an SVG as well', () => {
  assert.deepEqual(findingsIn('<script\n  src="/a.js"\n>let a = 1</script>\n<p>\n<a\n  href="/x">'), [
    'mobile-link:3',
    'mobile-link:7',
  ])
  assert.deepEqual(findingsIn('<svg><![CDATA[<a href="/x"/>]]><a x:href="/x"/></svg>', 'mobile/a.svg'), [
    'mobile-link:3',
  ])
})

test('what a browser reads in another way than the scan is refused', () => {
  const deep = '<iframe srcdoc="<iframe srcdoc=\'<iframe srcdoc=&quot;a&quot;>\'>">'
  for (const page of ['<![CDATA[ > <a href="/x"> ]]>', '<b>'.repeat(600), deep])
    assert.deepEqual(findingsIn(page), ['file-not-parsable:3'])
  assert.deepEqual(findingsIn('<!DOCTYPE svg [<!ENTITY e "/x">]><svg><a href="&e;"/></svg>', 'mobile/a.svg'), [
    'file-not-parsable:3',
  ])
})

const megabyte = (part: string) => part.repeat(1_000_000 / part.length)
const pages = [
  ...[
    '<meta ',
    '<meta http-equiv=refresh ',
    '<script>',
    '<script>a</script>\n',
    '<a href="/x">\n',
    '<!--',
    '<svg>',
    '<p>',
  ],
  '<iframe srcdoc=',
].map(megabyte)
const large = [
  ...pages,
  `<img srcset="${megabyte('photo.png 1x, ')}">`,
  `<a ping="${megabyte('./counted ')}">`,
  `<meta http-equiv=refresh content="${megabyte(' ')}url${megabyte(' ')}">`,
  `<iframe srcdoc=${megabyte('<iframe/srcdoc=')}>`,
]
for (const page of large) {
  test(`a page of a megabyte is read in time that grows with its length: ${page.slice(0, 40).trim()}`, () => {
    const before = process.cpuUsage().user
    const { scripts } = readMobilePage('mobile/a.html', page)
    assert.ok(process.cpuUsage().user - before < 8_000_000)
    assert.ok(scripts.reduce((length, { text }) => length + text.length, 0) < 1_000_000)
  })
}
