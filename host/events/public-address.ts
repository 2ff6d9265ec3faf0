import type { LookupAddress } from 'node:dns'
import { BlockList, isIP, type LookupFunction } from 'node:net'
import { resolveName } from './resolve-name.ts'

/** Whom the platform may call: public addresses, and loopback where a setting opens it, except these ports of it. */
export type CallPolicy = {
  allowLoopback: boolean
  /** The host's own ports and the database's: never called, whatever is allowed. */
  forbiddenPorts: ReadonlySet<number>
}

/** A target that may not be called. The message names no address: it is shown to partners. */
export class ForbiddenTargetError extends Error {
  override name = 'ForbiddenTargetError'
}

// Source: IANA special-purpose address registries.
const specialFour: [string, number][] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
]
const specialSix: [string, number][] = [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
]

const special = new BlockList()
for (const [network, bits] of specialFour) special.addSubnet(network, bits, 'ipv4')
for (const [network, bits] of specialSix) special.addSubnet(network, bits, 'ipv6')

const globalUnicast = new BlockList()
globalUnicast.addSubnet('2000::', 3, 'ipv6')

const loopback = new BlockList()
loopback.addSubnet('127.0.0.0', 8, 'ipv4')
loopback.addAddress('::1', 'ipv6')

const familyOf = (address: string) => (isIP(address) === 6 ? 'ipv6' : 'ipv4')

/** True for an address of the public internet. Of IPv6 only global unicast: mapped and translated forms are refused. */
export function isPublicAddress(address: string): boolean {
  if (isIP(address) === 0) return false
  const family = familyOf(address)
  if (family === 'ipv6' && !globalUnicast.check(address, family)) return false
  return !special.check(address, family)
}

function mayConnect(address: string, port: number, policy: CallPolicy): boolean {
  if (isPublicAddress(address)) return true
  return (
    policy.allowLoopback &&
    isIP(address) !== 0 &&
    loopback.check(address, familyOf(address)) &&
    !policy.forbiddenPorts.has(port)
  )
}

export const portOf = (url: URL): number => Number(url.port || (url.protocol === 'https:' ? 443 : 80))

const hostOf = (url: URL): string => url.hostname.replace(/^\[|\]$/g, '')

/**
 * What can be told from the URL alone. Plain HTTP is for loopback only. A name is judged later, at connection time,
 * by what it resolves to then.
 */
export function checkTarget(url: URL, policy: CallPolicy): void {
  const host = hostOf(url)
  const literal = isIP(host) !== 0
  const plainAllowed =
    policy.allowLoopback && (host === 'localhost' || (literal && loopback.check(host, familyOf(host))))
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && plainAllowed))
    throw new ForbiddenTargetError('the address must begin with https://')
  if (url.username !== '' || url.password !== '') throw new ForbiddenTargetError('the address must hold no password')
  if (literal && !mayConnect(host, portOf(url), policy)) throw new ForbiddenTargetError('the address is not public')
}

type Resolve = (hostname: string) => Promise<LookupAddress[]>

/**
 * The `lookup` of a connection to `port`: the addresses it hands out are the ones connected to, so a name that changes
 * its mind after an earlier check is refused here. One forbidden address among several refuses all.
 */
export function guardedLookup(port: number, policy: CallPolicy, resolve: Resolve = resolveName): LookupFunction {
  const find = async (hostname: string): Promise<LookupAddress[]> => {
    const found = await resolve(hostname)
    if (found.length === 0 || !found.every(({ address }) => mayConnect(address, port, policy)))
      throw new ForbiddenTargetError('the address is not public')
    return found
  }
  return (hostname, { all }, callback) => {
    find(hostname).then(
      (found) => (all ? callback(null, found) : callback(null, found[0]!.address, found[0]!.family)),
      (error: NodeJS.ErrnoException) => callback(error, []),
    )
  }
}
