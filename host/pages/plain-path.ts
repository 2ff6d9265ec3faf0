// However often it was encoded: a slash, a backslash, a control character, and what a module might decode into one.
const hidden = /%(25)*(2f|5c|7f|[01][0-9a-f])/i
/** Nearly all that are asked for: segments of letters, digits and the like. */
const simple = /^(?:\/[\w~-]+)+\/?(?:$|\?)/
const unsafe = /[\\\u0000-\u0020\u007f]/

/**
 * Whether a requested path means the same to everybody who reads it: the host's guards, its headers and the module's own
 * routes. One with dot segments, empty segments, or encoded characters that would make such, is nobody's page.
 */
export function isPlainPath(url: string): boolean {
  if (simple.test(url)) return true
  const path = url.split('?', 1)[0]!
  if (hidden.test(path) || unsafe.test(path)) return false
  const segments = path.replace(/%(25)*2e/gi, '.').split('/')
  return !segments.some(
    (segment, index) => /^\.+$/.test(segment) || (segment === '' && index > 0 && index < segments.length - 1),
  )
}
