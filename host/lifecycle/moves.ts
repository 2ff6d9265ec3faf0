import type pg from 'pg'
import { ulid } from 'ulid'
import { ServiceError } from '../../partner-services/service/errors.ts'
import { type Actor, actorName } from './actor.ts'
import { type AppRecord, type Db, findVersion, type VersionRecord } from './records.ts'
import { requireApprovable } from './report.ts'
import { type Move, moves, requireMove, type VersionState } from './states.ts'
import { inTransaction } from '../database/in-transaction.ts'
import { requireRaised } from './version-order.ts'

export type MoveRequest = {
  actor: Actor
  app: AppRecord
  version: string
  move: Move
  comment?: string
  now: Date
}

/** Moves a version, once: of two who ask at the same time the second gets `invalid_state`. */
export async function moveVersion(pool: pg.Pool, request: MoveRequest): Promise<VersionRecord> {
  const { actor, app, move, comment, now } = request
  return inTransaction(pool, async (db) => {
    const version = await findVersion(db, app, request.version, { lock: true })
    requireMove(actor, move, { partnerId: app.partnerId, state: version.state })
    if (move === 'submit') await requireRaised(db, app, version)
    if (move === 'approve') requireApprovable(version.report)
    await recordMove(db, version, { actor, move, now })
    if (comment !== undefined)
      await addComment(db, { ...version, state: moves[move].to }, { actor, body: comment, now })
    return { ...version, state: moves[move].to }
  })
}

/** The caller holds the version's lock. */
export async function recordMove(
  db: Db,
  version: Pick<VersionRecord, 'id' | 'state'>,
  { actor, move, now }: { actor: Actor; move: Move; now: Date },
): Promise<void> {
  const { rowCount } = await db.query('update core.app_versions set state = $3 where id = $1 and state = $2', [
    version.id,
    moves[move].from,
    moves[move].to,
  ])
  if (rowCount !== 1) throw new ServiceError('invalid_state')
  await db.query(
    'insert into core.version_moves (version_id, from_state, to_state, actor, at) values ($1, $2, $3, $4, $5)',
    [version.id, version.state, moves[move].to, actorName(actor), now],
  )
}

export type Comment = { id: string; author: string; state: VersionState; body: string; created_at: Date }

/** Comments stay with the version through every state: a rejected one comes back as a draft with them. */
export async function addComment(
  db: Db,
  version: Pick<VersionRecord, 'id' | 'state'>,
  { actor, body, now }: { actor: Actor; body: string; now: Date },
): Promise<Comment> {
  const comment = { id: ulid(now.getTime()), author: actorName(actor), state: version.state, body, created_at: now }
  await db.query(
    'insert into core.version_comments (version_id, id, author, state, body, created_at) values ($1, $2, $3, $4, $5, $6)',
    [version.id, comment.id, comment.author, comment.state, body, now],
  )
  return comment
}

export async function listComments(db: Db, version: Pick<VersionRecord, 'id'>): Promise<Comment[]> {
  const { rows } = await db.query<Comment>(
    'select id, author, state, body, created_at from core.version_comments where version_id = $1 order by id',
    [version.id],
  )
  return rows
}

/** Whether schools got the version, or one of the app's, or reviewers rejected it: who decided that, and why, is not deleted. */
export async function wasDecided(
  db: Db,
  { versionId, appId }: { versionId?: string; appId?: string },
): Promise<boolean> {
  const { rowCount } = await db.query(
    `select from core.version_moves m join core.app_versions v on v.id = m.version_id
      where (v.id = $1 or v.app_id = $2) and m.to_state in ('published', 'rejected') limit 1`,
    [versionId ?? null, appId ?? null],
  )
  return rowCount === 1
}
