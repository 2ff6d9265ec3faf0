/** Source: RFC 6749, 4.1.2.1 and 5.2. */
export type OAuthErrorCode =
  | 'invalid_request'
  | 'invalid_client'
  | 'invalid_grant'
  | 'unsupported_grant_type'
  | 'unsupported_response_type'
  | 'invalid_scope'
  | 'access_denied'

/** A refusal in the form of RFC 6749. Where `redirect` is set the browser carries it to the app. */
export class OAuthError extends Error {
  override name = 'OAuthError'
  readonly code: OAuthErrorCode
  readonly redirect: { uri: string; state: string | null } | null
  constructor(code: OAuthErrorCode, description: string, redirect: OAuthError['redirect'] = null) {
    super(description)
    this.code = code
    this.redirect = redirect
  }
  get status(): 400 | 401 {
    return this.code === 'invalid_client' ? 401 : 400
  }
  get body() {
    return { error: this.code, error_description: this.message }
  }
}

/** The redirect URL with parameters added to its own. */
export function withParameters(address: string, parameters: Record<string, string | null>): string {
  const url = new URL(address)
  for (const [name, value] of Object.entries(parameters)) if (value !== null) url.searchParams.set(name, value)
  return url.href
}
