import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startDeliveryWorker } from '../../host/events/delivery-worker.ts'
import { createWaker } from '../../host/events/wake.ts'
import { startReceiver } from './receiver.ts'
import { cipher, deliveriesOf, logger, loopbackAllowed, startPlatform, subscribe } from './support.ts'

test('a receiver that hangs delays nobody else, and two workers send nothing twice', async () => {
  const platform = await startPlatform()
  const secret = 'whsec_worker'
  const hanging = await startReceiver(secret, () => {})
  const quick = await startReceiver(secret)
  const slow = await subscribe(platform, hanging.url, { secret })
  const app = await subscribe(platform, quick.url, { secret })
  for (let i = 0; i < 60; i++) await platform.createStudent(slow.token)
  for (let i = 0; i < 200; i++) await platform.createStudent(app.token)
  const options = { connection: platform.database.connection.system, cipher, logger, policy: loopbackAllowed }
  const workers = [startDeliveryWorker(options), startDeliveryWorker(options)]
  await quick.until(200)
  const { wake, close } = createWaker(platform.system)
  await platform.createStudent(app.token)
  const asked = Date.now()
  wake()
  await quick.until(201)
  assert.ok(Date.now() - asked < 400, 'a notice is heard at once')
  hanging.received.length = 0
  close()
  await hanging.close()
  await Promise.all(workers.map((worker) => worker.stop()))
  const ids = quick.received.map(({ headers }) => headers['x-platform-delivery-id'])
  assert.equal(new Set(ids).size, ids.length)
  const states = new Set((await deliveriesOf(platform, app.installationId)).map(({ state }) => state))
  assert.deepEqual([...states], ['delivered'])
  assert.ok((await deliveriesOf(platform, slow.installationId)).every(({ state }) => state !== 'delivering'))
  await quick.close()
  await platform.close()
})

test('a worker that is stopped while a receiver hangs has written down what the others answered', async () => {
  const platform = await startPlatform()
  const secret = 'whsec_stopped'
  const hanging = await startReceiver(secret, () => {})
  const quick = await startReceiver(secret)
  const stuck = await subscribe(platform, hanging.url, { secret })
  const app = await subscribe(platform, quick.url, { secret })
  const connection = platform.database.connection.system
  const worker = startDeliveryWorker({ connection, cipher, logger, policy: loopbackAllowed })
  await platform.createStudent(stuck.token)
  await hanging.until(1)
  await platform.createStudent(app.token)
  await quick.until(1)
  const stopped = worker.stop()
  const written = async () => (await deliveriesOf(platform, app.installationId))[0]!.state === 'delivered'
  const before = Date.now()
  while (!(await written())) assert.ok(Date.now() - before < 5_000, 'it waits for the one that hangs')
  await hanging.close()
  await stopped
  await quick.close()
  await platform.close()
})

test('the clearing away of old attempts keeps no delivery waiting', async () => {
  const platform = await startPlatform()
  const secret = 'whsec_cleared'
  const receiver = await startReceiver(secret)
  const app = await subscribe(platform, receiver.url, { secret })
  await platform.database.admin.query(
    `insert into core.delivery_attempts (tenant_id, delivery_id, installation_id, at, number, duration_ms, exchange_encrypted)
      values ($1, core.uuid7(), $2, '2020-01-01', 1, 1, '')`,
    [app.tenantId, app.installationId],
  )
  const other = await platform.database.admin.connect()
  await other.query('begin; select from core.delivery_attempts for update')
  const connection = platform.database.connection.system
  const worker = startDeliveryWorker({ connection, cipher, logger, policy: loopbackAllowed })
  try {
    await platform.createStudent(app.token)
    await receiver.until(1)
    const written = async () => (await deliveriesOf(platform, app.installationId))[0]!.state === 'delivered'
    const before = Date.now()
    while (!(await written())) assert.ok(Date.now() - before < 5_000, 'deliveries wait for the purge')
  } finally {
    await other.query('rollback')
    other.release()
    await worker.stop()
    await receiver.close()
    await platform.close()
  }
})
