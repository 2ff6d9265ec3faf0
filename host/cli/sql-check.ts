import { readFileSync } from 'node:fs'
import { printableEntry } from '../../policy/printable.ts'
import { joinOutcomes, ofFile, sqlCheck } from '../../policy/sql/command.ts'

type SqlCheckOptions = { profile: string; schema: string; json?: boolean }

/** The guard's verdict on SQL texts; `-` is standard input. */
export async function checkTexts(files: string[], options: SqlCheckOptions): Promise<void> {
  const { profile, schema } = options
  if (profile !== 'migration' && profile !== 'runtime') throw new Error('--profile takes migration or runtime')
  const outcomes = []
  for (const file of files) {
    const text = readFileSync(file === '-' ? 0 : file, 'utf8')
    const outcome = await sqlCheck(text, { profile, schema })
    outcomes.push(files.length > 1 ? ofFile(outcome, file) : outcome)
  }
  const { exitCode, report } = joinOutcomes(outcomes)
  const lines = report.statements.map(({ file, line, verdict, rule, reason, mend }) => {
    const why = rule ? ` ${rule}: ${reason}${mend ? `: ${mend}` : ''}` : ''
    return printableEntry(`${file === undefined ? '' : `${file}:`}${line}: ${verdict}${why}`)
  })
  console.log(options.json ? JSON.stringify(report) : lines.join('\n'))
  process.exitCode = exitCode
}
