import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startDeliveryWorker } from '../../../host/events/delivery-worker.ts'
import { eventForInstallation } from '../../../host/events/event-writer.ts'
import { toStatement } from '../../../host/database/statements.ts'
import { cipher, logger, loopbackAllowed, startPlatform, subscribe } from '../../events/support.ts'
import { startRegistrar } from './app.ts'

test('the registrar mirrors students through real HTTP, and takes over a rotated token', async () => {
  const platform = await startPlatform()
  const webhookSecret = 'whsec_registrar'
  const app = await subscribe(platform, 'http://127.0.0.1:9/', { secret: webhookSecret })
  const early = await platform.createStudent(app.token, 'قبل')
  const registrar = await startRegistrar({ baseUrl: `${platform.url}/apps`, token: app.token, webhookSecret })
  await platform.database.admin.query('update core.apps set webhook_url = $2 where id = $1', [app.appId, registrar.url])
  await registrar.load()
  assert.equal(registrar.students.get(early)!.full_name, 'قبل')
  const connection = platform.database.connection.system
  const worker = startDeliveryWorker({ connection, cipher, logger, policy: loopbackAllowed })
  const id = await platform.createStudent(app.token, 'جديد')
  await platform.updateStudent(app.token, id, 'معدل')
  await registrar.until((students) => students.get(id)?.full_name === 'معدل')

  const data = { new_token: 'pit_live_new' }
  const event = { name: 'partner.installation.token_rotated', data }
  const { text, values } = toStatement(eventForInstallation(cipher, new Date(), app, event))
  await platform.system.query(text, [...values])
  await registrar.until(() => registrar.token() === 'pit_live_new')
  await worker.stop()
  await registrar.close()
  await platform.close()
})
