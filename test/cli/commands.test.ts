import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Command } from 'commander'
import { registerCommands } from '../../host/cli/commands.ts'

const verbsOf = (command: Command): Command[] =>
  command.commands.length === 0 ? [command] : command.commands.flatMap(verbsOf)

test('every verb takes --json', () => {
  const program = new Command('partner')
  registerCommands(program)
  const without = verbsOf(program).filter(({ options }) => !options.some(({ long }) => long === '--json'))
  assert.deepEqual(
    without.map((verb) => verb.name()),
    [],
  )
})
