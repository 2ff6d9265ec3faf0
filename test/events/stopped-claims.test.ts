import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { claimDeliveries, refreshClaim } from '../../host/events/claim.ts'
import { installationContext } from '../../host/installations/doors.ts'
import { installApp, type InstallationContext } from '../../host/installations/install.ts'
import { narrowScopes } from '../../host/installations/narrow.ts'
import { uninstallApp } from '../../host/installations/uninstall.ts'
import type { WebContext } from '../../host/web/context.ts'
import { publishVersion } from '../installations/support.ts'
import { type Platform, startPlatform, subscribe } from './support.ts'

let platform: Platform
before(async () => {
  platform = await startPlatform()
})
after(() => platform?.close())

type OfSchool = { slug: string; tenantId: string; installationId: string; accountId: null }
const scopes = ['education.guardians.read']
const ends: Record<string, (context: InstallationContext, of: OfSchool) => Promise<unknown>> = {
  uninstalling: uninstallApp,
  'taking the scope back': (context, of) => narrowScopes(context, { ...of, scopes }),
  'approving again without the scope': (context, of) => installApp(context, of.slug, { ...of, scopes }),
}
const asked = [...scopes, 'education.students.read', 'education.students.write'].map((key) => ({ key }))

for (const [name, end] of Object.entries(ends))
  test(`once ${name} is answered, a delivery that a worker claimed just before does not begin`, async () => {
    const app = await subscribe(platform, 'https://receiver.test/')
    await publishVersion(platform, app.appId, '1.0.0', asked)
    await platform.createStudent(app.token)
    const slots = { standard: 0, byApp: new Map([[app.appId, 1]]) }
    const { claimed } = await claimDeliveries(platform.system, new Date(), slots)
    assert.ok(await refreshClaim(platform.system, claimed[0]!))
    const context = installationContext({ system: platform.system, ports: platform.ports } as WebContext)
    const { slug, tenantId, installationId } = app
    await end(context, { slug, tenantId, installationId, accountId: null })
    assert.ok((await refreshClaim(platform.system, claimed[0]!)) === null)
  })
