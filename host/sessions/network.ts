import { isIPv6 } from 'node:net'

/**
 * Where an address comes from: an IPv4 address itself; of IPv6 the first 64 bits, one network of a customer's, or the first
 * 48, as much as providers give one customer.
 */
export function networkOf(address: string, bits: 48 | 64 = 64): string {
  if (!isIPv6(address)) return address
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)
  if (mapped) return mapped[1]!
  const [head = '', tail = ''] = address
    .replace(/%.*$/, '')
    .replace(/\d+\.\d+\.\d+\.\d+$/, '0:0')
    .split('::')
  const before = head === '' ? [] : head.split(':')
  const after = tail === '' ? [] : tail.split(':')
  const zeros = Array.from({ length: 8 - before.length - after.length }, () => '0')
  const groups = [...before, ...zeros, ...after].slice(0, bits / 16)
  return `${groups.map((group) => Number.parseInt(group, 16).toString(16)).join(':')}::/${bits}`
}
