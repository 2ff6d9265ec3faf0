import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { before, describe, test } from 'node:test'
import { checkSql, loadGuard, type Profile } from '../../../policy/sql/guard.ts'

type Verdict = 'reject' | 'allow' | 'rewrite'
type Probe = { id: string; sql: string[]; together: boolean; expect: Record<Profile, Verdict> }
type Harmless = { profile: Profile; sql: string }

async function fixture<T>(name: string): Promise<T> {
  return JSON.parse(await readFile(new URL(`./fixtures/${name}`, import.meta.url), 'utf8')) as T
}

const probes = await fixture<Probe[]>('probes.json')
const harmless = await fixture<Harmless[]>('harmless.json')

function passes(probe: Probe, profile: Profile): boolean {
  const texts = probe.together ? [probe.sql.join(';')] : probe.sql
  return texts.every((text) => checkSql(text, { profile, schema: 'm_alpha' }).ok)
}

before(loadGuard)

for (const profile of ['runtime', 'migration'] as const) {
  describe(`hostile texts, ${profile}`, () => {
    for (const probe of probes) {
      const allowed = probe.expect[profile] !== 'reject'
      test(`${probe.id} ${probe.sql[0]?.slice(0, 80)} is ${allowed ? 'harmless' : 'refused'}`, () => {
        assert.equal(passes(probe, profile), allowed)
      })
    }
  })
}

describe('harmless texts', () => {
  for (const { profile, sql } of harmless) {
    test(`${profile}: ${sql} is allowed`, () => {
      assert.deepEqual(checkSql(sql, { profile, schema: 'm_alpha' }).ok, true)
    })
  }
})
