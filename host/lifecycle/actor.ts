import { ServiceError } from '../../partner-services/service/errors.ts'

/** Who asks: the platform's own operator, who reviews, or a partner, who owns apps. */
export type Actor = { kind: 'operator' } | { kind: 'partner'; partnerId: string }

/** As it stands in the history of a version. */
export const actorName = (actor: Actor): string =>
  actor.kind === 'operator' ? 'operator' : `partner:${actor.partnerId}`

/** The platform's own apps, without a partner, are the operator's to edit; a partner's are nobody else's. */
export function isOwner(actor: Actor, { partnerId }: { partnerId: string | null }): boolean {
  return actor.kind === 'operator' ? partnerId === null : partnerId === actor.partnerId
}

/** A partner sees their own apps; another's looks like none. */
export function maySee(actor: Actor, app: { partnerId: string | null }): boolean {
  return actor.kind === 'operator' || isOwner(actor, app)
}

export function requireOwner(actor: Actor, app: { partnerId: string | null }): void {
  if (!isOwner(actor, app)) throw new ServiceError('forbidden')
}
