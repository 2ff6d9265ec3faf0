import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'

/** People whom one browser remembers: a family's tablet, a staff room's computer. The longest ago is forgotten. */
const mostPeople = 8
const form = /^[\w-]{22}(\.[\w-]{22}){1,8}$/

/**
 * A browser from which somebody signed in before, as its cookie tells it (OWASP, device cookies): a random id, and for each
 * of these people a keyed hash of their user name. Whoever finds the cookie learns no name from it, and whoever makes one up
 * is known to nobody.
 */
export type KnownDevices = {
  /** The browser's id, if a person of this user name signed in there before; else null. */
  idFor(username: string, cookie: string | undefined): string | null
  /** The cookie of a browser from which a person of this user name has just signed in. */
  remember(username: string, cookie: string | undefined): string
}

export function createKnownDevices(key: Buffer): KnownDevices {
  const marked = (id: string, username: string): Buffer =>
    createHmac('sha256', key).update(`device ${id} ${username}`).digest().subarray(0, 16)
  const read = (cookie: string | undefined) => {
    if (cookie === undefined || !form.test(cookie)) return null
    const [id, ...marks] = cookie.split('.')
    return { id: id!, marks: marks.map((mark) => Buffer.from(mark, 'base64url')) }
  }
  return {
    idFor(username, cookie) {
      const device = read(cookie)
      if (device === null) return null
      const expected = marked(device.id, username)
      return device.marks.some((mark) => timingSafeEqual(mark, expected)) ? device.id : null
    },
    remember(username, cookie) {
      const { id, marks } = read(cookie) ?? { id: randomBytes(16).toString('base64url'), marks: [] }
      const own = marked(id, username)
      const others = marks.filter((mark) => !mark.equals(own)).slice(0, mostPeople - 1)
      return [id, ...[own, ...others].map((mark) => mark.toString('base64url'))].join('.')
    },
  }
}
