import { globSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { applyToSchema, type MutableSchema } from '../../policy/migrations/module-schema.ts'
import { readPhpMigration } from '../../policy/migrations/php/read.ts'
import { loadGuard } from '../../policy/sql/guard.ts'
import { parseSql } from '../../policy/sql/parse.ts'

/** Source: issue "Policy", Laravel reader. */
const goal = 0.95

/** What names a table or column only when the application runs, or moves rows by the application's own code. */
const notLiteral =
  /\bDB::(?!statement\(|raw\(|transaction\()|\b(config|env|sprintf|app|collect|rescue_if)\(|foreignIdFor|::class|\$this->|\b[A-Z]\w+::(?!table\(|create\(|drop|rename|has|enableF|disableF|dropIfExists)\w+|\bextends (?!Migration\b)/

/**
 * How many migrations of real applications the reader translates. `PHP_CORPUS` names a folder with one folder of
 * migrations for each application. What it refuses is printed with construct and line.
 */
export async function run(): Promise<void> {
  const folder = process.env.PHP_CORPUS
  if (!folder) return console.log('PHP_CORPUS names no folder of Laravel migrations: the reader is not measured')
  await loadGuard()
  let [files, literal, translated, translatedLiteral] = [0, 0, 0, 0]
  for (const application of globSync('*/', { cwd: folder }).sort()) {
    const schema: MutableSchema = new Map()
    for (const path of globSync(join(folder, application, '*.php')).sort()) {
      const text = readFileSync(path, 'utf8')
      const { up, findings } = readPhpMigration(text, basename(path), schema)
      const refusal = findings.find(({ severity }) => severity === 'error')
      const plain = !notLiteral.test(bodyOf(text))
      files++
      if (plain) literal++
      if (refusal) {
        console.log(`${plain ? 'literal' : 'other  '} ${application}/${refusal.file}:${refusal.line} ${refusal.reason}`)
        continue
      }
      translated++
      if (plain) translatedLiteral++
      for (const { sql } of up) follow(schema, sql)
    }
  }
  const share = translatedLiteral / literal
  console.log(JSON.stringify({ name: 'laravel-reader', files, translated, literal, translatedLiteral, share, goal }))
  if (!(share >= goal)) throw new Error(`${share} of the files with literal names are translated, ${goal} is the goal`)
}

/** From the class on: imports and the head name classes too. */
const bodyOf = (text: string) => text.slice(Math.max(0, text.search(/\bclass\b/))).replace(/function down\([\s\S]*/, '')

function follow(schema: MutableSchema, sql: string): void {
  for (const { stmt } of (parseSql(sql) as { stmts?: { stmt: Record<string, unknown> }[] }).stmts ?? [])
    applyToSchema(schema, stmt)
}
