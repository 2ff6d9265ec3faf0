import assert from 'node:assert/strict'
import fc from 'fast-check'
import { operations } from '../../../partner-services/registry.ts'
import type { TestDatabase } from '../../support/database.ts'
import { createSchool, installApp } from '../../support/school.ts'
import type { TestWeb } from '../../support/web.ts'
import { createAnswerCheck } from './described-answers.ts'
import { hostileRequest } from './hostile-requests.ts'

const secret = 'Foreign Secret'

/** Sends `requests` generated requests; fails with the smallest one whose answer is not in the description. */
export async function hammer(database: TestDatabase, web: TestWeb, requests: number, seed?: number): Promise<void> {
  const check = createAnswerCheck()
  const own = await installApp(database.admin, await createSchool(database.admin))
  const foreign = await installApp(database.admin, await createSchool(database.admin))
  const ids = { own: await fill(web, own.token, 'Own'), foreign: await fill(web, foreign.token, secret) }
  const property = fc.asyncProperty(hostileRequest(ids), async ({ operation, url, method, headers, body }) => {
    const answer = await fetch(`${web.url}/apps${url}`, {
      method,
      headers: { ...headers, authorization: `Bearer ${own.token}` },
      ...(body === null ? {} : { body: body as string }),
    })
    const text = await answer.text()
    assert.ok(answer.status < 500, `${answer.status} ${method} ${url}`)
    assert.ok(!text.includes(secret), `another tenant's data: ${method} ${url}`)
    const wrong = check(operation.http.path, method, { status: answer.status, body: JSON.parse(text) })
    assert.equal(wrong, null, `${method} ${url}: ${wrong}`)
  })
  await fc.assert(property, { numRuns: requests, ...(seed === undefined ? {} : { seed }) })
}

/** One record of each writable resource, named `name`. */
async function fill(web: TestWeb, token: string, name: string): Promise<string[]> {
  const ids: string[] = []
  for (const { http } of operations.filter((operation) => operation.http.method === 'POST')) {
    const payload = { full_name: name, name, phone: '+966501234567', message: name }
    const { status, body } = await web.call(`/apps${http.path}`, { token, method: 'POST', body: payload })
    assert.equal(status, 201)
    ids.push((Object.values(body)[0] as { id: string }).id)
  }
  return ids
}
