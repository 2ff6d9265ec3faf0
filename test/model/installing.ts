import assert from 'node:assert/strict'
import { eraseDueInstallations } from '../../host/installations/erase.ts'
import { holdTime } from '../../host/installations/uninstall.ts'
import { publisherKeys } from '../../host/security/keys.ts'
import type { Random } from '../../host/seeds/random.ts'
import { testHostKey } from '../support/cluster.ts'
import { addDelivery } from './deliveries.ts'
import type { Tenant } from './resources.ts'
import * as state from './state.ts'
import type { App, Installation, Model } from './state.ts'

const { asks, holds, requires } = state
const school = '/partners/api/school'
const overlap = 15 * 60_000

type Wish = { tenant: Tenant; app: App; scopes: string[]; known: Installation | undefined; isRight: boolean }
type Made = { id: string; token: string | null }

/** Installs an app, or approves its newest version, through one of three doors; now and then with scopes that are wrong. */
export async function install(model: Model, random: Random, tenant: Tenant, app: App): Promise<void> {
  model.world.clock.forward(1_000)
  const [version] = state.publishedOf(app)
  if (!version) return
  const chosen =
    random.integer(8) === 0 ? () => random.integer(2) === 0 : (key: string) => isFitting(random, key, version)
  const scopes = state.everyScope.filter(chosen)
  const isRight = holds(asks(version), scopes) && holds(scopes, requires(version))
  const isHere = (one: Installation) => one.tenant === tenant && one.app === app && one.state === 'active'
  const known = model.installations.find(isHere)
  const wish: Wish = { tenant, app, scopes, known, isRight }
  const through = random.integer(3) === 0 ? byOperator : app.redirects ? byCode : bySchool
  const made = await through(model, random, wish)
  if (!isRight) return
  const granted = asks(version).filter((key) => scopes.includes(key))
  const one = known ?? newInstallation(wish, made.id, version)
  assert.equal(one.id, made.id)
  if (!known) model.installations.push(one)
  Object.assign(one, { version, granted })
  one.consents.push({ at: state.nowOf(model), version, scopes: granted })
  if (made.token !== null) one.tokens.push({ text: made.token, endsAt: Number.POSITIVE_INFINITY })
}

const isFitting = (random: Random, key: string, version: state.Version): boolean =>
  requires(version).includes(key) || (asks(version).includes(key) && random.integer(4) > 0)

const newInstallation = ({ tenant, app }: Wish, id: string, version: state.Version): Installation => ({
  ...{ id, tenant, app, version, granted: [], state: 'active', uninstalledAt: 0, tokens: [] },
  ...{ answers: new Map(), minute: -1, used: 0, consents: [] },
})

async function byOperator({ world }: Model, random: Random, { tenant, app, scopes, isRight }: Wish): Promise<Made> {
  const body = { slug: app.slug, tenant: tenant.id, scopes }
  const answer = await world.operator(random.integer(2), '/operator/install', { method: 'POST', body })
  assert.equal(answer.status, isRight ? 200 : 422)
  return { id: answer.body.installationId, token: answer.body.token ?? null }
}

/** The partner sees the token of a new installation once. */
async function bySchool({ world }: Model, random: Random, wish: Wish): Promise<Made> {
  const { tenant, app, scopes, known, isRight } = wish
  const web = random.integer(2)
  const path = `${school}/apps/${app.slug}/install`
  const answer = await world.administrator(web, tenant, path, { method: 'POST', body: { scopes } })
  assert.equal(answer.status, !isRight ? 422 : known ? 200 : 201)
  const id = answer.body.installation?.id
  if (!isRight || known) return { id, token: null }
  const show = `/partners/api/apps/${app.slug}/installations/${id}/token/show`
  const shown = await world.operator(web, show, { method: 'POST' })
  assert.equal(shown.status, 200)
  assert.equal((await world.operator(web, show, { method: 'POST' })).status, 409)
  return { id, token: shown.body.token }
}

/** A code is good once; a token from before ends. */
async function byCode(model: Model, random: Random, { tenant, app, scopes, known, isRight }: Wish): Promise<Made> {
  const { world } = model
  const web = random.integer(2)
  const wish = { response_type: 'code', client_id: app.client.id, state: 's', decision: 'approve', scopes }
  const answer = await world.administrator(web, tenant, '/oauth/authorize', { method: 'POST', body: wish })
  assert.equal(answer.status, isRight ? 200 : 400)
  if (!isRight) return { id: '', token: null }
  const code = new URL(answer.body.redirect_to).searchParams.get('code')
  const body = { grant_type: 'authorization_code', code, client_id: app.client.id, client_secret: app.client.secret }
  const made = await world.ask(web + 1, '/oauth/token', { method: 'POST', body })
  assert.equal(made.status, 200)
  if (known) endTokens(model, known)
  assert.deepEqual(made.body.scope.split(' ').filter(Boolean).toSorted(), scopes.toSorted())
  assert.equal((await world.ask(web, '/oauth/token', { method: 'POST', body })).status, 400)
  return { id: made.body.installation_id, token: made.body.access_token }
}

function endTokens(model: Model, { tokens }: Installation): void {
  for (const token of tokens) token.endsAt = Math.min(token.endsAt, state.nowOf(model) + overlap)
}

export async function narrow(model: Model, random: Random, one: Installation): Promise<void> {
  model.world.clock.forward(1_000)
  const scopes = one.granted.filter((key) => random.integer(3) > 0 || requires(one.version).includes(key))
  if (random.integer(6) === 0) scopes.push(random.pick(state.everyScope))
  const isHere = one.state === 'active'
  const isRight = isHere && holds(one.granted, scopes) && holds(scopes, requires(one.version))
  const path = `${school}/installations/${one.id}`
  const answer = await model.world.administrator(random.integer(2), one.tenant, path, {
    method: 'PATCH',
    body: { scopes },
  })
  assert.equal(answer.status, isRight ? 200 : isHere ? 422 : 404)
  if (!isRight) return
  one.granted = one.granted.filter((key) => scopes.includes(key))
  one.consents.push({ at: state.nowOf(model), version: one.version, scopes: one.granted })
}

export async function uninstall(model: Model, random: Random, one: Installation): Promise<void> {
  const path = `${school}/installations/${one.id}`
  const other = random.pick(model.tenants.filter((tenant) => tenant !== one.tenant))
  assert.equal((await model.world.administrator(0, other, path, { method: 'DELETE' })).status, 404)
  const answer = await model.world.administrator(random.integer(2), one.tenant, path, { method: 'DELETE' })
  assert.equal(answer.status, one.state === 'active' ? 200 : 404)
  if (one.state !== 'active') return
  Object.assign(one, { state: 'uninstalled', uninstalledAt: state.nowOf(model) })
  for (const open of model.deliveries.filter((each) => each.installation === one && each.dueAt !== null))
    Object.assign(open, { state: 'terminal', dueAt: null })
}

export async function rotate(model: Model, random: Random, one: Installation): Promise<void> {
  const path = `/partners/api/apps/${one.app.slug}/installations/${one.id}/token/rotate`
  const answer = await model.world.operator(random.integer(2), path, { method: 'POST' })
  assert.equal(answer.status, one.state === 'active' ? 200 : 404)
  if (one.state !== 'active') return
  endTokens(model, one)
  const { token } = answer.body
  one.tokens.push({ text: token, endsAt: Number.POSITIVE_INFINITY })
  if (!one.app.embedded) addDelivery(model, one, 'partner.installation.token_rotated', one.id, { new_token: token })
}

/** Erases what was held long enough, and that alone. */
export async function erase(model: Model): Promise<void> {
  const { world, installations, deliveries } = model
  const failed = (_: string, error: unknown) => {
    throw error
  }
  const certificates = await eraseDueInstallations({
    ...{ core: world.webs[0]!.context.database.tenants, system: world.system, clock: world.clock.now, failed },
    signingKey: publisherKeys(testHostKey).signing,
    ...{ eraseModuleRows: async () => ({}), eraseFiles: async () => [] },
  })
  const erased = new Set(certificates.map(({ installation_id }) => installation_id))
  for (const one of installations) {
    const isDue = one.state === 'uninstalled' && one.uninstalledAt <= state.nowOf(model) - holdTime
    assert.equal(erased.has(one.id), isDue, 'what is due is erased')
    if (isDue) one.state = 'erased'
  }
  model.deliveries = deliveries.filter(({ installation }) => installation.state !== 'erased')
}
