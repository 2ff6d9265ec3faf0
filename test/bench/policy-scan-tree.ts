// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these texts are about templates, or are modules' source
import { mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'

const linesPerFile = 140

/** One file of a module as partners write them: types, queries, handlers, templates and helpers; about 140 lines. */
function featureFile(index: number): string {
  const blocks: string[] = [
    `import { html, json, sql, type Context } from '@partner/sdk'`,
    `import { formatDate, groupBy, type Named } from '../lib/format${index % 10}.ts'`,
    '',
    `/** What the school keeps of club ${index}. */`,
    `export interface Club${index} {`,
    '  id: number',
    '  title: string',
    '  student_id: string',
    '  joined_on: string',
    '}',
    '',
  ]
  for (let part = 0; blocks.length < linesPerFile; part++) {
    blocks.push(
      `/** The members of group ${part}, newest first, with the names the school knows them by. */`,
      `export async function members${part}({ db, services, query, locale }: Context): Promise<unknown> {`,
      `  const rows = await db.rows<Club${index}>(sql\`select id, title, student_id, joined_on from clubs where group_no = \${${part}} order by joined_on desc\`)`,
      '  if (rows.length === 0) return html`<p class="empty">No members yet</p>`',
      `  const students = await Promise.all(rows.map((row) => services.education.students.get({ id: row.student_id })))`,
      '  const named: Named[] = rows.map((row, position) => ({ ...row, name: students[position]?.full_name ?? row.title }))',
      '  const groups = groupBy(named, (entry) => entry.joined_on.slice(0, 7))',
      `  const wanted = typeof query.month === 'string' ? query.month : Object.keys(groups).sort().at(-1)`,
      "  if (query.format === 'json') return json({ month: wanted, members: groups[wanted ?? ''] ?? [] })",
      '  return html`<section>',
      `    <h2>Group ${part}</h2>`,
      "    <ul>${(groups[wanted ?? ''] ?? []).map((entry) => html`<li>${entry.name} <time>${formatDate(entry.joined_on, locale)}</time></li>`)}</ul>",
      '  </section>`',
      '}',
      '',
    )
  }
  return `${blocks.slice(0, linesPerFile + 5).join('\n')}\n`
}

function libraryFile(): string {
  const blocks = [
    'export interface Named { id: number; name: string; joined_on: string }',
    'export function groupBy<Item>(items: readonly Item[], key: (item: Item) => string): Record<string, Item[]> {',
    '  const groups: Record<string, Item[]> = {}',
    '  for (const item of items) (groups[key(item)] ??= []).push(item)',
    '  return groups',
    '}',
    'export const formatDate = (date: string, locale: string) => new Intl.DateTimeFormat(locale).format(new Date(date))',
  ]
  for (let part = 0; blocks.length < linesPerFile; part++) {
    blocks.push(
      `/** Shortens a title to ${part + 10} characters, at a word where there is one. */`,
      `export function shorten${part}(title: string): string {`,
      `  if (title.length <= ${part + 10}) return title`,
      `  const cut = title.slice(0, ${part + 10})`,
      "  const space = cut.lastIndexOf(' ')",
      '  return `${space > 5 ? cut.slice(0, space) : cut}…`',
      '}',
    )
  }
  return `${blocks.join('\n')}\n`
}

/** Writes a module of so many files and about 140 lines each; answers with the number of lines. */
export async function writeTree(dir: string, files: number): Promise<number> {
  await mkdir(path.join(dir, 'src/features'), { recursive: true })
  await mkdir(path.join(dir, 'src/lib'), { recursive: true })
  let lines = 0
  const write = async (name: string, text: string) => {
    lines += text.split('\n').length - 1
    await writeFile(path.join(dir, name), text)
  }
  const features = Array.from({ length: files - 11 }, (_, index) => index)
  for (const index of features) await write(`src/features/clubs${index}.ts`, featureFile(index))
  for (let index = 0; index < 10; index++) await write(`src/lib/format${index}.ts`, libraryFile())
  const imports = features.map((index) => `import * as clubs${index} from './features/clubs${index}.ts'`)
  const routes = features.map(
    (index) =>
      `    'GET /clubs/${index}': clubs${index}.members0,\n    'GET /clubs/${index}/first': clubs${index}.members1,`,
  )
  const head = "import { defineModule } from '@partner/sdk'"
  await write(
    'src/index.ts',
    `${[head, ...imports, '', 'export default defineModule({', '  routes: {', ...routes, '  },', '})', ''].join('\n')}`,
  )
  const scopes = [{ key: 'education.students.read', required: true, reason: 'Names of the members' }]
  const manifest = {
    moduleId: 'clubs',
    displayName: 'Clubs',
    version: '1.0.0',
    category: 'education',
    description: 'Clubs',
    integrationType: 'embedded',
    scopes,
  }
  await writeFile(path.join(dir, 'manifest.json'), JSON.stringify(manifest, null, 2))
  return lines
}
