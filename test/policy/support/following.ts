import assert from 'node:assert/strict'
import fc from 'fast-check'
import { sortFindings } from '../../../policy/finding.ts'
import { createResolver } from '../../../policy/scan/resolve.ts'
import { type Analysis, analyseModule, type Kept, type ModuleFile } from '../../../policy/scopes/analyse.ts'
import type { Transcript } from '../../../policy/scopes/rounds.ts'
import { operations } from './catalog.ts'
import { edit, entry, names, textOf } from './edits.ts'
import { factsOf, followModule } from './flow.ts'

const declared = { slug: 'clubs', scopes: [], notifications: [], egress: [], widgets: [] }
const main = 'src/index.ts'
type Files = Readonly<Record<string, string>>
type Remembered = { number: number; kept: (Kept & { beginning: string }) | undefined }

/** Follows a module again and again as `partner scan --changed` does, and says which files it followed. */
export function rememberingFollower() {
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
export function fresh(files: Files): Analysis {
  const { findings, scopes } = followModule(files)
  return { findings: sortFindings(findings), scopes }
}

/** After any number of edits one after another, what is followed again comes to what the whole module comes to. */
export function checkEdits(runs: number, seed: number): void {
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
    { numRuns: runs, seed },
  )
}
