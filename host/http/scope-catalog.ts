import type { FastifyInstance } from 'fastify'
import { publishCatalog } from '../../partner-services/scopes/published-catalog.ts'

export const catalogPath = (partnersPath: string): string => `${partnersPath}/api/partners/permissions/catalog`

/** The scope catalog for partners' tools. Public, and the same until the platform is updated: hence the ETag. */
export function registerScopeCatalog(server: FastifyInstance, partnersPath: string): void {
  const catalog = publishCatalog()
  const etag = `"${catalog.version}"`
  const body = JSON.stringify(catalog)
  server.get(catalogPath(partnersPath), (request, reply) => {
    reply.header('etag', etag).header('cache-control', 'public, no-cache')
    const known = request.headers['if-none-match']?.split(',').map((tag) => tag.trim().replace(/^W\//, ''))
    if (known?.includes(etag) || known?.includes('*')) return reply.status(304).send()
    return reply.type('application/json; charset=utf-8').send(body)
  })
}
