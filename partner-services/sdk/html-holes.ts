/** Where a `${}` of a template stands: between tags, in a quoted attribute, or at the start of an attribute that is a URL. */
export type Hole = 'text' | 'attribute' | 'url'

type Place =
  | { in: 'text' }
  | { in: 'comment' }
  | { in: 'raw'; tag: string }
  | { in: 'tag'; tag: string; text: string }
  | { in: 'value'; tag: string; name: string; quote: string; text: string; dynamic: boolean }

const rawTags = new Set([
  'script',
  'style',
  'iframe',
  'noscript',
  'noembed',
  'noframes',
  'xmp',
  'plaintext',
  'template',
])
const urlAttributes = new Set(['href', 'src', 'action', 'formaction', 'poster', 'cite', 'data', 'xlink:href'])
const refusedAttribute = /^(on|style$|srcdoc$|srcset$)/

/** Reads the fixed parts of a template as a browser would and says where each hole stands. Throws where none is safe. */
export function holesOf(template: readonly string[]): Hole[] {
  let place: Place = { in: 'text' }
  return template.slice(0, -1).map((part) => {
    place = read(part, place)
    const hole = holeAt(place)
    if (place.in === 'value') place = { ...place, dynamic: true }
    return hole
  })
}

function holeAt(place: Place): Hole {
  if (place.in === 'text') return 'text'
  if (place.in === 'comment') throw new TypeError('html: a value inside a comment')
  if (place.in === 'raw') throw new TypeError(`html: a value inside <${place.tag}>`)
  if (place.in === 'tag') throw new TypeError(`html: a value in a tag must stand inside quotes (<${place.tag}…>)`)
  if (refusedAttribute.test(place.name)) throw new TypeError(`html: a value inside the attribute ${place.name}`)
  if (!urlAttributes.has(place.name)) return 'attribute'
  if (place.text === '' && !place.dynamic) return 'url'
  if (!/[/?#]/.test(place.text)) throw new TypeError(`html: a value inside the scheme of ${place.name}`)
  return 'attribute'
}

function read(part: string, start: Place): Place {
  let place = start
  let at = 0
  while (at < part.length) {
    const [next, end]: [Place, number] = readOne(part, at, place)
    place = next
    at = end
  }
  return place
}

/** Reads on until the place changes, or the part ends. */
function readOne(part: string, at: number, place: Place): [Place, number] {
  const end = part.length
  if (place.in === 'comment') {
    const close = part.indexOf('-->', at)
    return close === -1 ? [place, end] : [{ in: 'text' }, close + 3]
  }
  if (place.in === 'raw') {
    const close = part.toLowerCase().indexOf(`</${place.tag}`, at)
    return close === -1 ? [place, end] : [{ in: 'tag', tag: `/${place.tag}`, text: '' }, close + place.tag.length + 2]
  }
  if (place.in === 'value') {
    const close = part.indexOf(place.quote, at)
    if (close === -1) return [{ ...place, text: place.text + part.slice(at) }, end]
    return [{ in: 'tag', tag: place.tag, text: '' }, close + 1]
  }
  return place.in === 'text' ? readText(part, at) : readTag(part, at, place)
}

function readText(part: string, at: number): [Place, number] {
  const open = part.indexOf('<', at)
  if (open === -1) return [{ in: 'text' }, part.length]
  if (part.startsWith('<!--', open)) return [{ in: 'comment' }, open + 4]
  const name = /^<([/!?]?[a-z][^\s/>]*)/i.exec(part.slice(open, open + 100))
  if (name) return [{ in: 'tag', tag: name[1]!.toLowerCase(), text: '' }, open + name[0].length]
  // `<` before a hole would make a tag name of the value.
  if (open + 1 === part.length || /^<[/!?]$/.test(part.slice(open)))
    return [{ in: 'tag', tag: '', text: '' }, part.length]
  return [{ in: 'text' }, open + 1]
}

function readTag(part: string, at: number, place: { in: 'tag'; tag: string; text: string }): [Place, number] {
  const character = part[at]!
  if (character === '>') {
    return [rawTags.has(place.tag) ? { in: 'raw', tag: place.tag } : { in: 'text' }, at + 1]
  }
  const name = /([^\s=/]+)\s*=\s*$/.exec(place.text)?.[1]
  if ((character === '"' || character === "'") && name !== undefined) {
    return [
      { in: 'value', tag: place.tag, name: name.toLowerCase(), quote: character, text: '', dynamic: false },
      at + 1,
    ]
  }
  return [{ ...place, text: place.text + character }, at + 1]
}
