import { ServiceError } from '../../partner-services/service/errors.ts'
import { type Actor, isOwner } from './actor.ts'

export type VersionState = 'draft' | 'submitted' | 'in_review' | 'approved' | 'rejected' | 'published'

type Who = 'owner' | 'reviewer' | 'either'

/** The moves of the specification's table, and who may make them. Source: App version lifecycle; decisions of issue 4. */
export const moves = {
  submit: { from: 'draft', to: 'submitted', by: 'owner' },
  start_review: { from: 'submitted', to: 'in_review', by: 'reviewer' },
  approve: { from: 'in_review', to: 'approved', by: 'reviewer' },
  reject: { from: 'in_review', to: 'rejected', by: 'reviewer' },
  reopen: { from: 'rejected', to: 'draft', by: 'owner' },
  publish: { from: 'approved', to: 'published', by: 'either' },
} as const satisfies Record<string, { from: VersionState; to: VersionState; by: Who }>

export type Move = keyof typeof moves

/** What leads on from a state: `step` as `partner version` calls it (`start-review`), and who takes it. */
export const stepsFrom = (state: VersionState): { step: string; by: Who }[] =>
  Object.entries(moves).flatMap(([move, { from, by }]) =>
    from === state ? [{ step: move.replace('_', '-'), by }] : [],
  )

/** Throws where this actor may never make the move, and then where the version's state does not allow it. */
export function requireMove(
  actor: Actor,
  move: Move,
  { partnerId, state }: { partnerId: string | null; state: VersionState },
): void {
  const { from, by } = moves[move]
  const allowed: Record<Who, boolean> = {
    owner: isOwner(actor, { partnerId }),
    reviewer: actor.kind === 'operator',
    either: actor.kind === 'operator' || isOwner(actor, { partnerId }),
  }
  if (!allowed[by]) throw new ServiceError('forbidden')
  if (state !== from) throw new ServiceError('invalid_state')
}

/** Only a draft is edited. What is published says so by a name of its own. */
export function requireEditable(state: VersionState): void {
  if (state === 'published') throw new ServiceError('cannot_edit_published')
  if (state !== 'draft') throw new ServiceError('invalid_state')
}
