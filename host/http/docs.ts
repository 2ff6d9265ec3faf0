import Fastify, { type FastifyInstance, type FastifyRequest } from 'fastify'
import { describeApi } from '../../partner-services/description/openapi.ts'
import { postmanCollection } from '../../partner-services/description/postman.ts'
import { manifestJsonSchema } from '../../policy/manifest/schema.ts'
import type { SharedSettings } from '../config.ts'

/** The published description files and the reference page. All of it is served from here: the page works offline. */
export function registerDocs(server: FastifyInstance, settings: SharedSettings): void {
  const { DOCS_PATH, BASE_PATH, SANDBOX_BASE_PATH, PARTNERS_PATH, CONTACTS_PATH } = settings
  const addresses = (origin: string) => ({
    base: origin + BASE_PATH,
    sandbox: origin + SANDBOX_BASE_PATH,
    partners: origin + PARTNERS_PATH,
    contacts: origin + CONTACTS_PATH,
  })
  const originOf = ({ protocol, host }: FastifyRequest) => settings.PUBLIC_URL ?? `${protocol}://${host}`
  const document = describeApi(addresses(''))
  const collection = postmanCollection(document)
  server.get(`${DOCS_PATH}/openapi.json`, (request) => ({
    ...document,
    servers: document.servers.map((one) => ({ ...one, url: originOf(request) + one.url })),
  }))
  server.get(`${DOCS_PATH}/postman_collection.json`, (request) => {
    const known: Record<string, string> = Object.fromEntries(
      Object.entries(addresses(originOf(request))).map(([name, url]) => [`${name}_url`, url]),
    )
    const variable = collection.variable.map(({ key, value }) => ({ key, value: known[key] ?? value }))
    return { ...collection, variable }
  })
  // Editors fetch it by `$schema`: it names the address it was fetched from.
  const manifestSchema = manifestJsonSchema()
  server.get(`${DOCS_PATH}/manifest.schema.json`, (request, reply) => {
    reply.type('application/schema+json; charset=utf-8')
    return JSON.stringify({ $id: `${originOf(request)}${DOCS_PATH}/manifest.schema.json`, ...manifestSchema })
  })
  registerReferencePage(server, DOCS_PATH)
}

/** The page sends what is typed into it, a token too, to this host and nowhere else, whatever its script would like to do. */
const referencePolicy = [
  "default-src 'none'",
  "script-src 'self' 'unsafe-inline'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

type ReferencePage = { page: Buffer; script: Buffer }

/**
 * The page and its script of 4 MB are loaded when somebody first opens them: no process starts slower for them. Then they are
 * kept: made for each request, they would cost 40 ms each, and as much memory as there are readers who do not read.
 */
function registerReferencePage(server: FastifyInstance, path: string): void {
  let loaded: Promise<ReferencePage> | null = null
  const load = () => (loaded ??= loadReferencePage(path))
  server.get(path, async (request, reply) => {
    // Its script's address is relative.
    if (!request.url.split('?', 1)[0]!.endsWith('/')) return reply.redirect(`${path}/`, 301)
    reply.header('Content-Security-Policy', referencePolicy).type('text/html; charset=utf-8')
    return reply.send((await load()).page)
  })
  server.get(`${path}/js/scalar.js`, async (_request, reply) =>
    reply
      .header('Cache-Control', 'public, max-age=3600')
      .type('application/javascript; charset=utf-8')
      .send((await load()).script),
  )
}

async function loadReferencePage(path: string): Promise<ReferencePage> {
  const { default: scalar } = await import('@scalar/fastify-api-reference')
  const own: FastifyInstance = Fastify()
  const configuration = {
    url: `${path}/openapi.json`,
    withDefaultFonts: false,
    telemetry: false,
    hideClientButton: true,
    showDeveloperTools: 'never',
    agent: { disabled: true },
    mcp: { disabled: true },
  } as const
  await own.register(scalar, { routePrefix: path as `/${string}`, configuration })
  const [page, script] = await Promise.all([own.inject(`${path}/`), own.inject(`${path}/js/scalar.js`)])
  return { page: page.rawPayload, script: script.rawPayload }
}
