// What hides a slash, a backslash or a control character.
const hidden = /%(2f|5c|7f|[01][0-9a-f])/i
/** Encoded dots, percent signs and digits, which hide what they are part of: `%25%32%66` is a slash. */
const encodedAgain = /%(?:(25)+|2e|3\d|[46][1-6])/gi
/** No honest path was encoded so often. */
const mostTimes = 8
/** Nearly all that are asked for: segments of letters, digits and the like. */
const simple = /^(?:\/[\w~-]+)+\/?(?:$|\?)/
const unsafe = /[\\\u0000-\u0020\u007f]/

/**
 * Whether a requested path means the same to everybody who reads it: the host's guards, its headers and the module's own
 * routes. One with dot segments, empty segments, or encoded characters that would make such, is nobody's page.
 */
export function isPlainPath(url: string): boolean {
  if (simple.test(url)) return true
  const path = decodedAgain(url.split('?', 1)[0]!)
  if (path === null || hidden.test(path) || unsafe.test(path)) return false
  const segments = path.split('/')
  return !segments.some(
    (segment, index) => /^\.+$/.test(segment) || (segment === '' && index > 0 && index < segments.length - 1),
  )
}

/** A path as it is once every encoding of encodings is undone; null for one that nobody writes. */
function decodedAgain(path: string): string | null {
  let before = path
  for (let times = 0; times < mostTimes; times++) {
    const after = before.replace(encodedAgain, (text, percent) =>
      percent ? '%' : String.fromCharCode(Number.parseInt(text.slice(1), 16)),
    )
    if (after === before) return after
    before = after
  }
  return null
}
