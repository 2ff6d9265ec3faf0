import assert from 'node:assert/strict'
import { ulid } from 'ulid'
import { describeApp } from '../../host/lifecycle/describe-app.ts'
import { moveInstallations } from '../../host/lifecycle/move-installations.ts'
import { lockApp } from '../../host/lifecycle/records.ts'
import { inTransaction } from '../../host/database/in-transaction.ts'
import { untilConfirmed } from '../../host/security/token-epoch.ts'
import type { Random } from '../../host/seeds/random.ts'
import * as state from './state.ts'
import type { App, Installation, Model, Version } from './state.ts'

const { asks, holds, requires } = state

const activeOf = (model: Model, app: App): Installation[] =>
  model.installations.filter((one) => one.app === app && one.state === 'active')

/** A version with some scopes and events: the schools whose grant is enough get it. */
export async function publish(model: Model, random: Random, app: App): Promise<void> {
  const { world } = model
  world.clock.forward(1_000)
  const publishedAt = state.nowOf(model)
  const version: Version = {
    ...{ id: ulid(), name: `1.${app.versions.length}.0`, published: true, publishedAt },
    scopes: state.everyScope
      .filter(() => random.integer(10) < 7)
      .map((key) => ({ key, required: random.integer(6) === 0 })),
    events: state.everyEvent.filter(() => random.integer(10) < 7),
  }
  const external = {
    ...{ webhookUrl: app.receiver?.url, webhookEvents: version.events },
    redirectUrls: app.redirects ? ['https://a.example/back'] : [],
  }
  const manifest = { displayName: 'App', scopes: version.scopes, ...(app.embedded ? {} : { external }) }
  await inTransaction(world.system, async (db) => {
    await lockApp(db, app)
    await db.query(
      `insert into core.app_versions (id, app_id, version, state, manifest, published_at, bundle_hash)
        values ($1, $2, $3, 'published', $4, $5, $6)`,
      [version.id, app.id, version.name, manifest, new Date(publishedAt), app.embedded ? app.slug : null],
    )
    await describeApp(db, app, { manifest })
    await moveInstallations(db, app, { id: version.id, manifest })
  })
  await untilConfirmed(world.system)
  app.versions.push(version)
  for (const one of activeOf(model, app).filter(({ granted }) => holds(granted, requires(version)))) {
    one.version = version
    one.granted = one.granted.filter((key) => asks(version).includes(key))
  }
}

/** Takes the newest version back: schools get the one before, and again what they had granted to it. */
export async function rollBack(model: Model, random: Random, app: App): Promise<void> {
  model.world.clock.forward(1_000)
  const [from, to] = state.publishedOf(app)
  const path = `/partners/api/apps/${app.slug}/rollback`
  const answer = await model.world.operator(random.integer(2), path, { method: 'POST' })
  if (!from || !to) return assert.equal(answer.status, 409)
  assert.equal(answer.status, 200)
  from.published = false
  for (const one of activeOf(model, app)) {
    const granted = [...one.granted, ...(one.version === from ? givenAgain(one, { from, to }) : [])]
    if (holds(granted, requires(to))) Object.assign(one, { version: to, granted })
  }
}

/** What `from` did not ask for and every version since the school's last consent for it did. */
function givenAgain({ app, granted, consents }: Installation, { from, to }: { from: Version; to: Version }): string[] {
  return asks(to).filter((key) => {
    if (asks(from).includes(key) || granted.includes(key)) return false
    const consent = consents.findLast(({ version }) => asks(version).includes(key))
    const since = state
      .publishedOf(app)
      .filter(({ publishedAt }) => consent && publishedAt > consent.at && publishedAt <= to.publishedAt)
    return consent?.scopes.includes(key) && since.every((version) => asks(version).includes(key))
  })
}
