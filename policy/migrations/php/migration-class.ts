/** Finds the migration in a PHP file: `return new class extends Migration { … }` or a named class. */
import type { PhpNode } from './nodes.ts'
import { baseName, isNode, nameOf, nodesOf, refusePhp } from './nodes.ts'
import { describe } from './values.ts'

export type MigrationClass = {
  readonly name: string | undefined
  readonly constants: ReadonlyMap<string, PhpNode>
  readonly properties: ReadonlyMap<string, PhpNode>
  readonly up: PhpNode
  readonly down: PhpNode | undefined
}

const preamble = new Set(['usegroup', 'declare', 'inline', 'noop'])

export function findMigration(program: PhpNode): MigrationClass {
  const candidates = topLevel(program).flatMap((node) => {
    if (preamble.has(node.kind)) return []
    if (node.kind === 'class') return [node]
    const returned = node.kind === 'return' && isNode(node.expr) ? node.expr : undefined
    const created = returned?.kind === 'new' && isNode(returned.what) ? returned.what : undefined
    return created?.kind === 'class' ? [created] : refusePhp(node, `${describe(node)} beside the migration’s class`)
  })
  const [found, second] = candidates
  if (!found) refusePhp(program, 'a file without a migration’s class')
  if (second) refusePhp(second, 'a second class')
  if (baseName(nameOf(found.extends) ?? '') !== 'Migration') refusePhp(found, 'a class that does not extend Migration')
  return readClass(found)
}

/** A namespace may wrap the file. */
function topLevel(program: PhpNode): PhpNode[] {
  return nodesOf(program.children).flatMap((node) => (node.kind === 'namespace' ? nodesOf(node.children) : [node]))
}

function readClass(found: PhpNode): MigrationClass {
  const members = nodesOf(found.body)
  const methods = new Map(
    members.filter(({ kind }) => kind === 'method').map((node) => [nameOf(node.name)?.toLowerCase(), node]),
  )
  for (const name of ['__construct', 'shouldRun']) {
    const method = methods.get(name.toLowerCase())
    if (method) refusePhp(method, `${name}()`)
  }
  const properties = named(members, 'propertystatement', 'properties')
  const connection = properties.get('connection')
  if (connection && connection.kind !== 'nullkeyword') refusePhp(connection, 'a connection of its own')
  return {
    name: nameOf(found.name),
    constants: named(members, 'classconstant', 'constants'),
    properties,
    up: methods.get('up') ?? refusePhp(found, 'a class without up()'),
    down: methods.get('down'),
  }
}

function named(members: readonly PhpNode[], kind: string, field: string): Map<string, PhpNode> {
  const entries = members
    .filter((member) => member.kind === kind)
    .flatMap((member) => nodesOf(member[field]))
    .flatMap((item) => {
      const name = nameOf(item.name)
      return name !== undefined && isNode(item.value) ? [[name, item.value] as const] : []
    })
  return new Map(entries)
}
