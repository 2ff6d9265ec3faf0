import { createHmac, timingSafeEqual } from 'node:crypto'

/** The field that carries it. The host adds it to every form and takes it out before a module sees the body. */
export const formTokenField = '_token'

/** Proof that a form was served to this very session, for this very purpose (`/sign-in`, a module's slug). */
export const formToken = (secret: Buffer, purpose: string): string =>
  createHmac('sha256', secret).update(`form:${purpose}`).digest('base64url')

export function isFormToken(given: unknown, secret: Buffer, purpose: string): boolean {
  if (typeof given !== 'string') return false
  const [expected, actual] = [Buffer.from(formToken(secret, purpose)), Buffer.from(given)]
  return expected.length === actual.length && timingSafeEqual(expected, actual)
}
