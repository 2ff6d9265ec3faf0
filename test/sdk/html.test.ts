import assert from 'node:assert/strict'
import { test } from 'node:test'
import { html } from '../../partner-services/sdk/html.ts'

const script = '<script>alert("x")</script>'

test('every value is escaped', () => {
  assert.equal(String(html`<p>${script}</p>`), '<p>&lt;script&gt;alert(&quot;x&quot;)&lt;/script&gt;</p>')
  assert.equal(String(html`<p title="${`" onclick="x`}">a</p>`), '<p title="&quot; onclick=&quot;x">a</p>')
})

test('nested html and arrays of it are spliced in; nothing stands for nothing', () => {
  const items = ['<a>', 'b'].map((item) => html`<li>${item}</li>`)
  assert.equal(String(html`<ul>${items}</ul>`), '<ul><li>&lt;a&gt;</li><li>b</li></ul>')
  assert.equal(String(html`${null}${undefined}${false}${0}${true}`), '0true')
})

test('an attribute whose whole value is true or false is there or not', () => {
  const option = (on: unknown) => String(html`<option value="a" selected="${on}">A</option>`)
  assert.equal(option(true), '<option value="a" selected>A</option>')
  for (const off of [false, null, undefined]) assert.equal(option(off), '<option value="a">A</option>')
})

test('an address that would run something becomes #', () => {
  for (const bad of ['javascript:x', ' JaVa\nscript:x', 'data:text/html,x', 'vbscript:x', '\u0001javascript:x']) {
    assert.equal(String(html`<a href="${bad}">a</a>`), '<a href="#">a</a>', bad)
  }
  for (const good of [
    '/m/library',
    'loans?page=2',
    'https://example.com/a:b',
    'mailto:a@example.com',
    '#top',
    '/a:b',
  ]) {
    assert.equal(String(html`<a href="${good}">a</a>`), `<a href="${good}">a</a>`, good)
  }
})

test('an image may stand in its address, and no other data', () => {
  const image = 'data:image/png;base64,iVBORw0KGgo='
  assert.equal(String(html`<img src="${image}" alt="">`), `<img src="${image}" alt="">`)
  for (const bad of ['data:image/svg+xml;base64,PHN2Zz4=', 'data:image/png,x', `${image}"x`]) {
    assert.equal(String(html`<img src="${bad}" alt="">`), '<img src="#" alt="">', bad)
  }
})

test('places where no escaping is safe take no value', () => {
  const refused: [string, () => unknown][] = [
    ['tag name', () => html`<${'b'}>`],
    ['closing tag', () => html`</${'b'}>`],
    ['attribute name', () => html`<p ${'a'}="b">`],
    ['unquoted value', () => html`<p title=${'a'}>`],
    ['script', () => html`<script>let a = ${'1'}</script>`],
    ['style element', () => html`<style>a { color: ${'red'} }</style>`],
    ['style attribute', () => html`<p style="color: ${'red'}">`],
    ['event handler', () => html`<p onclick="${'a'}">`],
    ['srcdoc', () => html`<iframe srcdoc="${'a'}">`],
    ['comment', () => html`<!-- ${'a'} -->`],
    ['two values for a scheme', () => html`<a href="${'java'}${'script:x'}">`],
  ]
  for (const [place, write] of refused) assert.throws(write, TypeError, place)
})

test('a quote or a > in a fixed attribute does not confuse the reader', () => {
  assert.equal(String(html`<p title='a>"b'>${'<'}</p>`), `<p title='a>"b'>&lt;</p>`)
  assert.equal(String(html`<p>1 < 2 ${'<'}</p>`), '<p>1 < 2 &lt;</p>')
  assert.equal(String(html`<script>1</script><p>${'<'}</p>`), '<script>1</script><p>&lt;</p>')
})

test('objects and functions are no text', () => {
  assert.throws(() => html`<p>${{ a: 1 }}</p>`, /type object/)
  assert.throws(() => html`<p>${() => 1}</p>`, /type function/)
  assert.throws(() => html`<p>${Promise.resolve('a')}</p>`, /html cannot show a Promise: await it/)
  assert.throws(() => html`<p title="${html`<b>`}">a</p>`, /html in an attribute/)
})

test('a likeness of html from JSON is escaped or refused, never trusted', () => {
  const likeness = JSON.parse('{"text":"<b>"}')
  assert.throws(() => html`<p>${likeness}</p>`, TypeError)
})
