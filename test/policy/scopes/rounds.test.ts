import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkEdits, fresh, rememberingFollower } from '../support/following.ts'

const main = 'src/index.ts'
const module = {
  [main]: `import { defineModule } from '@partner/sdk'
import { list, names } from './list.ts'
export default defineModule({ routes: { 'GET /': list, 'GET /names': names } })
`,
  'src/list.ts': `import { short } from './short.ts'
export const list = async ({ services }) => short(await services.education.students.list({}))
export const names = async ({ query }) => short(query.names)
`,
  'src/short.ts': `export function short(items) {
  const kept = items.slice(0, 20)
  return kept
}
export const other = () => 1
`,
  'src/unused.ts': "import { short } from './short.ts'\nexport const unused = () => short([])\n",
}

test('nothing is followed again where nothing has changed, and a file alone whose others hear nothing new', () => {
  const follow = rememberingFollower()
  assert.equal(follow(module).followed.length, 4)
  assert.deepEqual(follow(module).followed, [])
  const shorter = module['src/short.ts'].replace('slice(0, 20)', 'slice(0, 10).slice(1)')
  assert.deepEqual(follow({ ...module, 'src/short.ts': `// a line more\n${shorter}` }).followed, ['src/short.ts'])
})

test('what an edit hands to other files is followed there, as far as it reaches', () => {
  const follow = rememberingFollower()
  follow(module)
  const both = `${module['src/list.ts']}export const more = ({ services }) => services.education.grades.list({})\n`
  const routed = module[main]
    .replace('{ list, names }', '{ list, more, names }')
    .replace("'GET /':", "'GET /more': more, 'GET /':")
  const edited = { ...module, 'src/list.ts': both, [main]: routed }
  const { analysis, followed } = follow(edited)
  assert.deepEqual(followed, [main, 'src/list.ts'])
  assert.deepEqual(analysis, fresh(edited))
  const given = { ...edited, 'src/list.ts': both.replace('short(query.names)', 'short([query.names, {}])') }
  const next = follow(given)
  assert.ok(next.followed.includes('src/short.ts') && !next.followed.includes('src/nothing.ts'))
  assert.deepEqual(next.analysis, fresh(given))
})

test('a file that is gone tells nobody anything any more', () => {
  const follow = rememberingFollower()
  const leaking = { ...module, 'src/unused.ts': "import { list } from './list.ts'\nlist({ services: globalThis.x })\n" }
  follow(leaking)
  const { 'src/unused.ts': _, ...without } = leaking
  assert.deepEqual(follow(without).analysis, fresh(without))
  assert.deepEqual(follow(without).followed, [])
})

test('whatever is edited, what is followed again comes to what a whole module comes to', () => {
  checkEdits(60, 11)
})
