import type { LookupAddress } from 'node:dns'
import { Resolver } from 'node:dns/promises'

/** For each question to one name server; it is asked twice. In milliseconds. */
const timeout = 2_000
const tries = 2

// Source: RFC 6761, 6.3.
const loopback: LookupAddress[] = [
  { address: '127.0.0.1', family: 4 },
  { address: '::1', family: 6 },
]

/**
 * What the name servers say of a host. Not the system's look-up: that holds one of this process's four threads for as
 * long as a name server is silent, so that one partner's broken domain kept every other name waiting. The machine's
 * table of hosts does not count. Rejects with the resolver's error where there is no address.
 */
export async function resolveName(hostname: string, servers?: readonly string[]): Promise<LookupAddress[]> {
  if (hostname === 'localhost') return loopback
  // A new one each time, which reads the name servers of this moment.
  const resolver = new Resolver({ timeout, tries })
  if (servers) resolver.setServers(servers)
  const [four, six] = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)])
  if (four.status === 'rejected' && six.status === 'rejected') throw four.reason
  return [...found(four, 4), ...found(six, 6)]
}

const found = (answer: PromiseSettledResult<string[]>, family: 4 | 6): LookupAddress[] =>
  answer.status === 'fulfilled' ? answer.value.map((address) => ({ address, family })) : []
