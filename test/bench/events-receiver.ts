import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A receiver that answers at once, in a process of its own: it prints its port. */
const server = createServer((request, response) => {
  request.resume()
  request.on('end', () => response.writeHead(200).end())
})
server.keepAliveTimeout = 60_000
server.listen(0, '127.0.0.1', () => process.stdout.write(`${(server.address() as AddressInfo).port}\n`))
