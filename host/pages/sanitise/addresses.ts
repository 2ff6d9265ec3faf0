import { isPlainPath } from '../plain-path.ts'

const dataImage = /^data:image\/(png|jpeg|gif|webp);base64,[A-Za-z0-9+/]+={0,2}$/
const outside = /^(https?:\/\/|mailto:|tel:)/i
// Characters that browsers drop or turn: an address with one of them is not what it looks like.
const deceptive = /[\\\u0000-\u001f\u007f]/

/** Whose page it is, and whether a mobile screen, which leads below `mobile/` only. Source: specification, mobile service. */
export type Place = {
  slug: string
  mobile: boolean
  /** The page's own path and query, as it was asked for: what a relative address is relative to. */
  url: string
}

/** What every address that leads into the app begins with. */
export const basePath = ({ slug, mobile }: Pick<Place, 'slug' | 'mobile'>): string =>
  mobile ? `/m/${slug}/mobile` : `/m/${slug}`

/** An address below the page's own place that the host would serve, resolved as HTML says; null for every other. */
export function ownPath(address: string | undefined, place: Place): string | null {
  if (
    address === undefined ||
    deceptive.test(address) ||
    /^[a-z][a-z0-9+.-]*:/i.test(address) ||
    address.startsWith('//')
  )
    return null
  const base = basePath(place)
  let url: URL
  try {
    url = new URL(address, `http://host.invalid${fromInside(place.url, base)}`)
  } catch {
    return null
  }
  if (url.origin !== 'http://host.invalid') return null
  if (!isPlainPath(url.pathname) || !canBeDecoded(url.pathname)) return null
  if (url.pathname !== base && !url.pathname.startsWith(`${base}/`)) return null
  return url.pathname + url.search + url.hash
}

/** The app's first page is served with and without a slash at its end: what is relative means the same on both. */
const fromInside = (url: string, base: string): string =>
  url.split('?', 1)[0] === base ? url.replace(base, `${base}/`) : url

function canBeDecoded(path: string): boolean {
  try {
    decodeURIComponent(path)
    return true
  } catch {
    return false
  }
}

export function linkAddress(address: string | undefined, place: Place): string | null {
  const trimmed = address?.trim()
  if (trimmed === undefined) return null
  if (!place.mobile && outside.test(trimmed) && !deceptive.test(trimmed)) return trimmed
  return ownPath(trimmed, place)
}

/** Null where it leads to the page itself too: a browser would ask for that once more, as an image. */
export const imageAddress = (address: string | undefined, place: Place): string | null => {
  const trimmed = address?.trim()
  if (!trimmed || trimmed.startsWith('#')) return null
  return dataImage.test(trimmed) ? trimmed : ownPath(trimmed, place)
}

/** One that says nothing leads to its page. */
export const formAddress = (address: string | undefined, place: Place): string | null =>
  ownPath(address?.trim() ?? '', place)
