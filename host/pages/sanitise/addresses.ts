const dataImage = /^data:image\/(png|jpeg|gif|webp);base64,[A-Za-z0-9+/]+={0,2}$/
const outside = /^(https?:\/\/|mailto:|tel:)/i
// Characters that browsers drop or turn: a path with one of them is not what it looks like.
const deceptive = /[\\\s\u0000-\u001f\u007f]/

/** Whose page it is, and whether a mobile screen, which leads below `mobile/` only. Source: specification, mobile service. */
export type Place = { slug: string; mobile: boolean }

const baseOf = ({ slug, mobile }: Place): string => (mobile ? `/m/${slug}/mobile` : `/m/${slug}`)

/** A path of the page's own place, resolved below it; null for every other address. */
export function ownPath(address: string | undefined, place: Place): string | null {
  if (
    address === undefined ||
    deceptive.test(address) ||
    /^[a-z][a-z0-9+.-]*:/i.test(address) ||
    address.startsWith('//')
  )
    return null
  const base = baseOf(place)
  let url: URL
  try {
    url = new URL(address, `http://host.invalid${base}/`)
  } catch {
    return null
  }
  if (url.origin !== 'http://host.invalid') return null
  const path = fullyDecoded(url.pathname)
  if (path === null || deceptive.test(path) || /(^|\/)\.\.?(\/|$)/.test(path)) return null
  if (path !== base && !path.startsWith(`${base}/`)) return null
  return url.pathname + url.search + url.hash
}

/** A path that changes when it is decoded twice hides something: `%252e%252e` and the like. */
function fullyDecoded(path: string): string | null {
  try {
    const once = decodeURIComponent(path)
    return decodeURIComponent(once) === once ? once : null
  } catch {
    return null
  }
}

export function linkAddress(address: string | undefined, place: Place): string | null {
  const trimmed = address?.trim()
  if (trimmed === undefined) return null
  if (!place.mobile && outside.test(trimmed) && !deceptive.test(trimmed)) return trimmed
  return ownPath(trimmed, place)
}

export const imageAddress = (address: string | undefined, place: Place): string | null => {
  const trimmed = address?.trim()
  if (trimmed !== undefined && dataImage.test(trimmed)) return trimmed
  return ownPath(trimmed, place)
}

/** Where a form goes: below the module's own path, whatever it says. */
export const formPath = (address: string | undefined, place: Place): string =>
  ownPath(address?.trim(), place) ?? baseOf(place)
