import { basePath, type Place } from './addresses.ts'

/** Told of each address that was taken out of a page, in words for the log of its module. */
export type OnRemoved = (description: string) => void

const longest = 80

/** Null for what names no address, so that nothing was lost. */
export function describeRemoved(attribute: string, address: string | undefined, place: Place): string | null {
  const trimmed = address?.trim()
  if (!trimmed || trimmed.startsWith('#')) return null
  const root = `/m/${place.slug}`
  const rule = `a route is written without "${root}", an address with it`
  return `${attribute}=${JSON.stringify(toldPart(trimmed))} leads to no page below "${basePath(place)}": ${rule}`
}

/**
 * A page's first segment, a host, or a scheme. What follows may be a child's, and so may a query: none of it belongs into a
 * log. Browsers drop control characters before they look for a scheme.
 */
function toldPart(address: string): string {
  const text = address.replace(/[\u0000-\u0020\u007f]/g, '').slice(0, longest)
  const [, web, host] = /^(https?:\/\/)(?:[^/?#\\]*@)?([^/?#\\@]*)/i.exec(text) ?? []
  if (web !== undefined) return `${web}${host}/…`
  const scheme = /^(?:[a-z][a-z0-9+.-]*:|[\\/]{2})/i.exec(text)?.[0]
  if (scheme !== undefined) return `${scheme}…`
  const [, first, rest] = /^(\/m\/[^/?#]+|\/?[^/?#]*)(\/[^?#]+)?/.exec(text)!
  return rest === undefined ? first! : `${first}/…`
}
