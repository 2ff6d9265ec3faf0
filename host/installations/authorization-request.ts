import type pg from 'pg'
import { NotFoundException } from '../../partner-services/service/errors.ts'
import { isStorable } from '../../partner-services/service/schemas.ts'
import { OAuthError } from './oauth-errors.ts'
import { type PublishedApp, publishedApp } from './published-version.ts'

/** A request for consent that may be shown: the app exists, the redirect URL is its own, the state is there. */
export type AuthorizationRequest = {
  app: PublishedApp
  redirectUri: string
  /** The redirect URL as the app named it: empty where it has only one and left it out. */
  namedRedirectUri: string
  state: string
}

const longestState = 1_024

/**
 * Checks in the order of RFC 6749, 4.1.2.1: a wrong client or redirect URL is told to the browser's user alone, what is
 * wrong after that goes to the app. The redirect URL must be one of the app's, character by character.
 */
export async function readAuthorizationRequest(
  pool: pg.Pool,
  fields: Record<string, unknown>,
): Promise<AuthorizationRequest> {
  const text = (name: string) => (typeof fields[name] === 'string' && isStorable(fields[name]) ? fields[name] : '')
  const app = await publishedApp(pool, { clientId: text('client_id') }).catch((error) => {
    if (error instanceof NotFoundException) throw new OAuthError('invalid_request', 'client_id is not known')
    throw error
  })
  const namedRedirectUri = text('redirect_uri')
  const redirectUri = namedRedirectUri || (app.redirectUrls.length === 1 ? app.redirectUrls[0]! : '')
  if (!app.redirectUrls.includes(redirectUri))
    throw new OAuthError('invalid_request', 'redirect_uri is not registered for this app')
  const state = text('state')
  const refuse = (code: 'invalid_request' | 'unsupported_response_type', why: string) => {
    throw new OAuthError(code, why, { uri: redirectUri, state: state === '' ? null : state })
  }
  if (text('response_type') !== 'code') refuse('unsupported_response_type', 'response_type takes code')
  if (state === '' || state.length > longestState) refuse('invalid_request', 'state is required')
  return { app, redirectUri, namedRedirectUri, state }
}
