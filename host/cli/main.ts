import { Command } from 'commander'
import { printableEntry } from '../../policy/printable.ts'
import { registerCommands } from './commands.ts'

const program = new Command('partner').description('Runs, publishes and installs partner apps.').exitOverride()
registerCommands(program)

/** Where a verb's own code 1 says what it found, a mistyped call must not: it is 2. Help that was asked for is none. */
const asked = new Set(['commander.helpDisplayed', 'commander.help', 'commander.version'])

try {
  await program.parseAsync(process.argv)
} catch (error) {
  const { exitCode, code = '', message } = error as { exitCode?: number; code?: string; message: string }
  const isUsage = code.startsWith('commander.')
  // Commander has printed its own refusals.
  if (!isUsage) console.error(printableEntry(`partner: ${message}`))
  if (asked.has(code) && exitCode === 0) process.exitCode = 0
  else process.exitCode = isUsage ? 2 : exitCode || 2
}
