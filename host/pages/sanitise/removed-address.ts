import { basePath, type Place } from './addresses.ts'

/** Told of each address that was taken out of a page, in words for the log of its module. */
export type OnRemoved = (description: string) => void

const longest = 80
const scheme = /^[a-z][a-z0-9+.-]*:(?!\/\/)/i

/** Null for what names no address, so that nothing was lost. */
export function describeRemoved(attribute: string, address: string | undefined, place: Place): string | null {
  const trimmed = address?.trim()
  if (!trimmed || trimmed.startsWith('#')) return null
  const root = `/m/${place.slug}`
  const rule = `a route is written without "${root}", an address with it`
  return `${attribute}=${JSON.stringify(toldPart(trimmed))} leads to no page below "${basePath(place)}": ${rule}`
}

/** A query, and what follows a scheme such as `tel:`, may be a child's: neither belongs into a log. */
const toldPart = (address: string): string =>
  scheme.exec(address.slice(0, longest))?.[0] ?? address.slice(0, longest).split(/[?#]/, 1)[0]!
