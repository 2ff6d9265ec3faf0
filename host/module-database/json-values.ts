/** Writes one value, as PostgreSQL sends it in text form, as JSON. */
export type ValueWriter = (text: string) => string

const asIs: ValueWriter = (text) => text
const asString: ValueWriter = (text) => JSON.stringify(text)
const asBoolean: ValueWriter = (text) => (text === 't' ? 'true' : 'false')
/** JSON has no word for them. */
const asFloat: ValueWriter = (text) => (text === 'NaN' || text.endsWith('Infinity') ? `"${text}"` : text)
/** A number as long as JavaScript holds it exactly, else the digits as a string. */
const asBigint: ValueWriter = (text) => (text.length < 16 || Number.isSafeInteger(Number(text)) ? text : `"${text}"`)
const asBase64: ValueWriter = (text) => `"${Buffer.from(text.slice(2), 'hex').toString('base64')}"`
/** `2026-11-21 02:06:09.5+00` → `2026-11-21T02:06:09.500Z`; microseconds stay where a value has them. */
const asTimestamp: ValueWriter = (text) => {
  const match = /^(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d)(?:\.(\d+))?(?:\+00)?$/.exec(text)
  return match ? `"${match[1]}T${match[2]}.${(match[3] ?? '').padEnd(3, '0')}Z"` : asString(text)
}

/** By type id. Every other type, `numeric` and `date` among them, is a string in PostgreSQL's own spelling. */
const scalars: ReadonlyMap<number, ValueWriter> = new Map([
  [16, asBoolean],
  [17, asBase64],
  [20, asBigint],
  [21, asIs],
  [23, asIs],
  [26, asIs],
  [114, asIs],
  [700, asFloat],
  [701, asFloat],
  [1114, asTimestamp],
  [1184, asTimestamp],
  [3802, asIs],
])

/** Type ids of arrays and of their elements: the built-in types that a module may use. */
const elements: ReadonlyMap<number, number> = new Map([
  [1000, 16],
  [1001, 17],
  [1002, 18],
  [1003, 19],
  [1005, 21],
  [1007, 23],
  [1009, 25],
  [1014, 1042],
  [1015, 1043],
  [1016, 20],
  [1021, 700],
  [1022, 701],
  [1028, 26],
  [1115, 1114],
  [1182, 1082],
  [1183, 1083],
  [1185, 1184],
  [1187, 1186],
  [1231, 1700],
  [1270, 1266],
  [199, 114],
  [2951, 2950],
  [3807, 3802],
])

export function writerFor(type: number): ValueWriter {
  const scalar = scalars.get(type)
  if (scalar) return scalar
  const element = elements.get(type)
  if (element === undefined) return asString
  const write = writerFor(element)
  return (text) => arrayToJson(text, write)
}

/** `{1,NULL,"a b"}` → `[…]`, nested ones too. Bounds other than 1 (`[0:1]={…}`) are not kept. */
export function arrayToJson(text: string, write: ValueWriter): string {
  let at = text.indexOf('{')
  let json = ''
  while (at < text.length) {
    const character = text[at]!
    if (character === '{' || character === '}' || character === ',') {
      json += character === '{' ? '[' : character === '}' ? ']' : ','
      at++
    } else if (character === '"') {
      const [value, end] = quoted(text, at + 1)
      json += write(value)
      at = end
    } else {
      let end = at
      while (end < text.length && text[end] !== ',' && text[end] !== '}') end++
      const value = text.slice(at, end)
      json += value === 'NULL' ? 'null' : write(value)
      at = end
    }
  }
  return json
}

function quoted(text: string, start: number): [value: string, end: number] {
  let value = ''
  let at = start
  while (at < text.length && text[at] !== '"') {
    if (text[at] === '\\') at++
    value += text[at++]
  }
  return [value, at + 1]
}
