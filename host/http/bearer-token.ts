/** The token of `Authorization: Bearer <token>`, empty where there is none. The scheme is written in any letters (RFC 9110, 11.1). */
export const bearerToken = (authorization: string | undefined): string =>
  authorization !== undefined && /^bearer /i.test(authorization) ? authorization.slice('Bearer '.length) : ''
