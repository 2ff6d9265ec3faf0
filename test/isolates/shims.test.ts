import { jsonOf } from './json-of.ts'
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { isolateGlobals } from '../../policy/rules/support/isolate-globals.ts'
import { startSandbox } from './support.ts'

const sandbox = await startSandbox()
after(() => sandbox.close())

const references: [string, string?][] = [
  ['https://example.org'],
  ['HTTPS://User:Pass@Example.ORG:8443/a/../b/./c?x=1&y=a%20b#frag'],
  ['http://example.org:80/'],
  ['https://example.org/a b/ج?q=نورة#é'],
  ['https://[::1]:3000/x'],
  ['../up?x', 'https://example.org/a/b/c'],
  ['/root', 'https://example.org/a/b/c?q#h'],
  ['?only=query', 'https://example.org/a?old'],
  ['#only', 'https://example.org/a?q'],
  ['//other.org/x', 'https://example.org/a'],
  ['mailto:someone@example.org'],
  ['not a url'],
  ['https://'],
  ['https://example.org:99999'],
  ['/\\evil.example/x', 'https://school.example/a'],
  ['\\\\evil.example', 'https://school.example/a'],
  ['\x01//evil.example', 'https://school.example/a'],
  ['https:evil', 'https://school.example/a/b'],
  ['https:evil'],
  ['http:/evil', 'https://school.example/a/b'],
  ['a\\..\\b', 'https://example.org/x/y'],
  ['https://example.org/?q=a\\b#c\\d'],
  ['https://a.example\\@evil.example/'],
  ['https://127.1/'],
  ['https://0x7f000001:0443/'],
  ['https://256.1.1.1/'],
  ['https://[0:0:1::0:0:0.1.2.3]/'],
  ['https://[1::2::3]/'],
  ['https://a%2eexample./%2e%2E/%zz'],
  ['https://a b.example/'],
  ['https://:@a.example/'],
  ["https://a.example/a|b^c`d{e}?'<>#`"],
  ['data:text/plain,a b #c d'],
  ["foo://H/p/../q?'", 'https://example.org/'],
  ['foo:/.//p'],
  ['x', 'mailto:a'],
  ['#x', 'mailto:a'],
  ['', 'https://example.org/p?q#h'],
]

test('an isolate has the globals that the scan takes it to have, and no others', async () => {
  const handle = '() => Object.getOwnPropertyNames(globalThis).filter((name) => globalThis[name] !== undefined)'
  const answer = await sandbox.run('globals', handle)
  assert.deepEqual(new Set([...JSON.parse(answer.ok ? jsonOf(answer) : '[]'), 'undefined']), isolateGlobals)
})

test('URL agrees with the host on the references modules use', async () => {
  const handle = `(entry, input) => input.map(([reference, base]) => {
    try { const u = new URL(reference, base); return [u.href, u.protocol, u.host, u.pathname, u.search, u.hash, u.origin] } catch (error) { return error.name }
  })`
  const answer = await sandbox.run('urls', handle, { input: JSON.stringify(references) })
  const expected = references.map(([reference, base]) => {
    try {
      const url = new URL(reference, base)
      return [url.href, url.protocol, url.host, url.pathname, url.search, url.hash, url.origin]
    } catch {
      return 'TypeError'
    }
  })
  assert.deepEqual(answer.ok && JSON.parse(jsonOf(answer)), expected)
})

test('URLSearchParams agrees with the host', async () => {
  const body = `
    const params = new URLSearchParams('?a=1&b=2&a=3&c=%D9%86+x&d')
    params.append('e', 'a b&c=d~!')
    params.set('a', '9')
    params.delete('b')
    params.sort()
    const url = new URL('https://example.org/?x=1')
    url.searchParams.append('y', 'é')
    return [params.toString(), params.get('c'), params.getAll('a'), params.has('zz'), params.get('zz'), [...params].length,
      new URLSearchParams({ k: 'v', n: 1 }).toString(), new URLSearchParams([['p', 'q']]).toString(), url.href]`
  const answer = await sandbox.run('params', `() => { ${body} }`)
  assert.deepEqual(answer.ok && JSON.parse(jsonOf(answer)), new Function(body)())
})

test('TextEncoder and TextDecoder agree with the host', async () => {
  const body = `
    const texts = ['plain', 'نورة é 漢字 😀', '\\ud800 alone', '']
    const bytes = [[0xef, 0xbb, 0xbf, 65], [0xc0, 0x80], [0xe0, 0xa4], [0xf0, 0x9f, 0x98, 0x80], [0xed, 0xa0, 0x80], [255, 65]]
    return [
      texts.map((text) => [...new TextEncoder().encode(text)]),
      bytes.slice(0, 1).concat(bytes.slice(3, 4)).map((list) => new TextDecoder().decode(new Uint8Array(list))),
      bytes.map((list) => { try { return new TextDecoder('utf-8', { fatal: true }).decode(new Uint8Array(list)) } catch (error) { return error.name } }),
    ]`
  const answer = await sandbox.run('coders', `() => { ${body} }`)
  assert.deepEqual(answer.ok && JSON.parse(jsonOf(answer)), new Function(body)())
})

test('TextDecoder keeps what a part begins for the next one, and agrees with the host on any bytes', async () => {
  const body = `
    let seed = 7
    const below = (end) => (seed = (seed * 48271) % 2147483647) % end
    const some = [0xe4, 0xbd, 0xa0, 65, 0xf0, 0x9f, 0x98, 0xc3, 0xed, 0xff, 0xf4, 0x90, 0xe0, 0x80, 0xef, 0xbb, 0xbf]
    const tried = (run) => { try { return run() } catch (error) { return error.name } }
    const arabic = new TextEncoder().encode('مدرسة النور 😀')
    const whole = Array.from(arabic, (_, at) => {
      const decoder = new TextDecoder()
      return decoder.decode(arabic.subarray(0, at), { stream: true }) + decoder.decode(arabic.subarray(at))
    })
    const random = Array.from({ length: 1500 }, () => {
      const bytes = Uint8Array.from({ length: 8 }, () => some[below(some.length)])
      const at = below(9)
      return [{}, { fatal: true }, { ignoreBOM: true }].map((options) => tried(() => {
        const decoder = new TextDecoder('utf-8', options)
        return decoder.decode(bytes.subarray(0, at), { stream: true }) + '|' + decoder.decode(bytes.subarray(at))
          + '|' + decoder.decode(bytes.buffer)
      }))
    })
    const small = new Uint8Array(6)
    return [
      whole, random,
      ['aé', 'نورة', 'a😀😀', 'x\\ud800y'].map((text) => [{ ...new TextEncoder().encodeInto(text, small) }, [...small]]),
      [' UTF8\\n', 'unicode-1-1-utf-8', 'utf 8', null].map((label) => tried(() => new TextDecoder(label).encoding)),
      tried(() => new TextDecoder(undefined, null).decode(undefined, null)), tried(() => new TextDecoder().decode(null)),
      tried(() => new TextEncoder().encodeInto('a', new Uint16Array(2))),
      new TextDecoder('utf-8', { ignoreBOM: true }).ignoreBOM,
    ]`
  const answer = await sandbox.run('parts', `() => { ${body} }`)
  assert.deepEqual(answer.ok && JSON.parse(jsonOf(answer)), new Function(body)())
})

test('TextDecoder takes four megabytes within a slice and a heap, and what lies across its parts is whole', async () => {
  const body = `
    const bytes = new TextEncoder().encode(input[0])
    const many = new Uint8Array(Math.floor(input[1] / bytes.length) * bytes.length)
    many.set(bytes)
    for (let filled = bytes.length; filled < many.length; filled *= 2) many.copyWithin(filled, 0, filled)
    const half = many.length / 2 + 1
    const decoder = new TextDecoder('utf-8', { fatal: true })
    const text = decoder.decode(many.subarray(0, half), { stream: true }) + decoder.decode(many.subarray(half))
    return [text.length, text.slice(0, 50_000), text.slice(-50_000), text === new TextDecoder().decode(many)]`
  const decode = new Function('input', body)
  const texts = ['a', 'ب', '😀', '\uffff\ufeff', 'aب漢😀']
  for (const input of [['a', 2_097_152], ['ب', 2_097_152], ...texts.map((text) => [text, 50_000])]) {
    const answer = await sandbox.run('megabytes', `(entry, input) => { ${body} }`, { input: JSON.stringify(input) })
    const decoded = answer.ok ? jsonOf(answer) : answer.error.message
    assert.equal(decoded, JSON.stringify(decode(input)), input.join())
  }
})

test('bytes that a fatal TextDecoder refuses leave nothing to the next text', async () => {
  const body = `
    const decoder = new TextDecoder('utf-8', { fatal: true })
    const refused = [[65, 66, 255], [0xe2, 0x82]].map((list) => {
      try { return decoder.decode(new Uint8Array(list)) } catch (error) { return error.name }
    })
    return [...refused, decoder.decode(new Uint8Array([67])), new TextDecoder().decode(new Uint8Array([68]))]`
  const answer = await sandbox.run('refused', `() => { ${body} }`)
  assert.deepEqual(answer.ok && JSON.parse(jsonOf(answer)), new Function(body)())
})

const settings: [part: string, value: string, of?: string][] = [
  ['hash', 'part'],
  ['hash', '#'],
  ['pathname', '.evil.example/x'],
  ['pathname', 'b c?d#e'],
  ['pathname', '\\\\a/../b'],
  ['username', 'a@b:c'],
  ['password', '/?#'],
  ['protocol', 'http'],
  ['protocol', 'foo:'],
  ['protocol', 'http', 'https://a.example:80/'],
  ['href', 'https://b.example/?z'],
  ['href', 'none'],
  ['host', 'b.example:81'],
  ['host', 'b.example/x'],
  ['host', 'user@b.example'],
  ['host', ''],
  ['hostname', 'b.example:81'],
  ['hostname', '0x7f.1'],
  ['port', '443'],
  ['port', '81x'],
  ['port', '99999'],
  ['search', "a=2&b='"],
  ['search', ''],
  ['pathname', 'x', 'mailto:a'],
  ['host', 'b', 'mailto:a'],
]

test('what is set of a URL is read as the host reads it, and its searchParams follow', async () => {
  const body = `return (entry, settings) => settings.map(([part, value, of = 'https://u@a.example:8443/p?a=1#h']) => {
    const url = new URL(of)
    const params = url.searchParams
    try { url[part] = value } catch (error) { return error.name }
    return [url.href, url[part], [...params], params === url.searchParams]
  })`
  const handle = new Function(body)() as (entry: string, input: typeof settings) => unknown
  const answer = await sandbox.run('settings', String(handle), { input: JSON.stringify(settings) })
  assert.deepEqual(answer.ok && JSON.parse(jsonOf(answer)), JSON.parse(JSON.stringify(handle('', settings))))
})

test('URLSearchParams take what the host takes, also while they are gone through', async () => {
  const body = `
    const tried = (run) => { try { return String(run()) } catch (error) { return error.name } }
    const inits = [null, undefined, 12, '??a', [['a']], [null], ['ab'], new Map([['x', 1]]), new URLSearchParams('a=1&b'), {}]
    const twice = () => new URLSearchParams('a=1&b=2&a=2&c=3')
    const changed = [
      (params) => params.delete('a', '1'),
      (params) => params.delete('a', undefined),
      (params) => { for (const [name] of params) params.delete(name) },
      (params) => { params.forEach(function (value, name, all) { if (all === params && this.on) all.set(name, value + '!') }, { on: 1 }) },
    ].map((change) => { const params = twice(); change(params); return String(params) })
    return [
      inits.map((init) => tried(() => new URLSearchParams(init))), changed,
      [twice().has('a', '3'), twice().has('a', '2'), twice().size, [...twice().keys()], [...twice().values()]],
      [...new URLSearchParams('d=50%+off%21&%ff+%41=%e4%bd&%EF%BB%BFx=1&=&==')],
      [Object.prototype.toString.call(twice()), Object.prototype.toString.call(new URL('a:b'))],
    ]`
  const answer = await sandbox.run('more params', `() => { ${body} }`)
  assert.deepEqual(answer.ok && JSON.parse(jsonOf(answer)), new Function(body)())
})

test('queueMicrotask runs a function in its turn, and what that throws is a rejection nobody handled', async () => {
  const body = `
    const order = []
    const settled = Promise.resolve().then(() => order.push('first')).then(() => order.push('fourth'))
    queueMicrotask((...given) => order.push('second', given.length))
    Promise.resolve().then(() => order.push('third'))
    order.push('now')
    try { queueMicrotask('text') } catch (error) { order.push(error.name) }
    return settled.then(() => order)`
  const lines: string[] = []
  const answer = await sandbox.run('microtasks', `() => { ${body} }`)
  assert.deepEqual(answer.ok ? JSON.parse(jsonOf(answer)) : answer.error, await new Function(body)())
  const thrower = '() => { queueMicrotask(() => { throw new Error("in its turn") }); return "fine" }'
  const other = await sandbox.run('throws in a microtask', thrower, { onLog: ({ message }) => lines.push(message) })
  assert.equal(other.ok ? jsonOf(other) : other.error.message, '"fine"')
  assert.match(lines.join(), /^unhandled rejection: in its turn/)
})
