import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { sortFindings } from '../../../policy/finding.ts'
import { createResolver } from '../../../policy/scan/resolve.ts'
import { type Analysis, analyseModule, type Kept, type ModuleFile } from '../../../policy/scopes/analyse.ts'
import type { Transcript } from '../../../policy/scopes/rounds.ts'
import { operations } from '../support/catalog.ts'
import { edit, entry, names, textOf } from '../support/edits.ts'
import { factsOf, followModule } from '../support/flow.ts'

const declared = { slug: 'clubs', scopes: [], notifications: [], egress: [], widgets: [] }
const main = 'src/index.ts'
type Files = Readonly<Record<string, string>>
type Remembered = { number: number; kept: (Kept & { beginning: string }) | undefined }

/** Follows a module again and again as `partner scan --changed` does, and says which files it followed. */
function rememberingFollower() {
  const memory = new Map<string, Remembered>()
  return (files: Files): { analysis: Analysis; followed: string[] } => {
    const facts = factsOf(files)
    const gone = [...memory].flatMap(([file, { number, kept }]): [number, Kept][] =>
      facts.has(file) || !kept ? [] : [[number, kept]],
    )
    for (const [file, known] of memory) if (!facts.has(file)) known.kept = undefined
    const listed = [...facts].map(([file, found]): [string, ModuleFile] => {
      const known = memory.get(file) ?? { number: memory.size, kept: undefined }
      memory.set(file, known)
      return [file, { ...known, outline: found, facts: () => found, content: files[file] ?? '' }]
    })
    const resolve = createResolver((file) => facts.has(file))
    const module = { entry: main, files: new Map(listed), gone: new Map(gone), resolve }
    const { followed, findings, scopes } = analyseModule(module, operations, declared)
    for (const known of memory.values()) {
      const fresh = followed.get(known.number)
      const transcript = structuredClone(fresh?.transcript) as Transcript
      if (fresh) known.kept = { ...fresh, transcript: () => transcript }
    }
    const nameOf = (number: number) => [...memory].find(([, known]) => known.number === number)?.[0] ?? ''
    return { analysis: { findings: sortFindings(findings), scopes }, followed: [...followed.keys()].map(nameOf).sort() }
  }
}

/** What a scan without a memory says. */
function fresh(files: Files): Analysis {
  const { findings, scopes } = followModule(files)
  return { findings: sortFindings(findings), scopes }
}

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
  const follow = rememberingFollower()
  let files: Record<string, string> = { [main]: entry }
  for (const name of names) files[`src/${name}.ts`] = 'export const plain = 1\n'
  fc.assert(
    fc.property(edit, fc.boolean(), (edited, removed) => {
      const name = `src/${edited.file}.ts`
      const text = textOf(edited)
      if (text.includes('broken')) return
      const { [name]: _, ...others } = files
      files = removed && edited.lines.length === 0 ? others : { ...others, [name]: text }
      assert.deepEqual(follow(files).analysis, fresh(files))
    }),
    { numRuns: 60, seed: 11 },
  )
})
