import { Command } from 'commander'
import { registerCommands } from './commands.ts'

const program = new Command('partner').description('Runs, publishes and installs partner apps.').exitOverride()
registerCommands(program)

try {
  await program.parseAsync(process.argv)
} catch (error) {
  const { exitCode, code, message } = error as { exitCode?: number; code?: string; message: string }
  // Commander has printed its own refusals; help and version are none.
  if (!code?.startsWith('commander.')) console.error(`partner: ${message}`)
  process.exitCode = code === 'commander.helpDisplayed' || code === 'commander.version' ? 0 : (exitCode ?? 2) || 2
}
