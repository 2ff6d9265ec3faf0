import { z } from 'zod'
import { contactAnswer, contactFields } from '../contacts/submission.ts'
import { tokenAnswer, tokenRefusals, tokenRequest } from '../identity/token-exchange.ts'
import { publishedCatalog } from '../scopes/published-catalog.ts'

/**
 * A route that is no operation: no token, no tenant. `base` names the address its path begins at; `oauth` is the host's own,
 * which no setting moves.
 */
export type PublicRoute = {
  name: string
  summary: string
  description: string
  base: 'partners' | 'contacts' | 'oauth'
  http: { method: 'GET' | 'POST'; path: string }
  input: z.ZodObject
  output: z.ZodType
  status: number
  errors: number[]
  /** Its answer says when it changed; who knows it is answered 304. */
  hasETag?: true
  /** Sends a form instead of JSON, with the client's credentials in it or in the Basic header. Its refusals are those of OAuth. */
  oauth?: { refusals: Record<number, z.ZodType> }
}

export const publicRoutes: PublicRoute[] = [
  {
    name: 'partners.permissions.catalog',
    summary: 'Read the scope catalog',
    description: 'All scopes grouped by feature, then resource. Send `If-None-Match` to learn whether it changed.',
    base: 'partners',
    http: { method: 'GET', path: '/api/partners/permissions/catalog' },
    input: z.object({}),
    output: publishedCatalog,
    status: 200,
    errors: [],
    hasETag: true,
  },
  {
    name: 'contacts.submit',
    summary: 'Send a contact submission',
    description:
      'Each submission is appended. The answer holds only what this request said. An optional field that is null or a blank text counts as not sent. At most 64 KiB; so many of an address in a minute, and of all in a day (UTC).',
    base: 'contacts',
    http: { method: 'POST', path: '/api/v1/contacts' },
    input: contactFields,
    output: contactAnswer,
    status: 201,
    errors: [413, 415, 422, 429],
  },
  {
    name: 'oauth.token',
    summary: 'Exchange a code for the installation token',
    description:
      "After consent the school's browser brings an app with redirect URLs a code. The installation's token from before, if any, works 15 more minutes.",
    base: 'oauth',
    http: { method: 'POST', path: '/oauth/token' },
    input: tokenRequest,
    output: tokenAnswer,
    status: 200,
    errors: [413],
    oauth: { refusals: tokenRefusals },
  },
]
