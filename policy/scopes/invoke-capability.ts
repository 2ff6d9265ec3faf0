import { type Platform, possibleServices, publishScope, services } from './context.ts'
import { escapeNode } from './escapes.ts'
import { type Call, escapeAll, watchCall } from './invoke.ts'
import { nearby, shown } from './loads.ts'
import { watchWidgets } from './widgets.ts'
import { add, capability, freshNode, listen, report, type Solver, intern } from './solver.ts'
import { type ObjectValue, unknown } from './values.ts'

/** What calling a part of the context, or of the SDK, means for the scopes, the network and the notifications. */
export function invokeCapability(solver: Solver, platform: Platform, call: Call, path: string): void {
  if (path.startsWith('sdk')) invokeSdk(solver, call, path.slice('sdk.'.length))
  else if (path.startsWith(services)) invokeOperation(solver, platform, call, path.slice(services.length + 1), true)
  else if (path.startsWith(possibleServices))
    invokeOperation(solver, platform, call, path.slice(possibleServices.length + 1), false)
  else invokeContext(solver, platform, call, path)
}

function invokeOperation(solver: Solver, platform: Platform, call: Call, name: string, certain: boolean): void {
  const { place } = call
  if (!platform.operations.has(name)) {
    if (certain) {
      report(solver, {
        rule: 'operation-unknown',
        place,
        message: `\`services.${name}\` is no operation.`,
        fix: nearby(platform, name),
      })
    }
    return
  }
  solver.uses.push({ operation: name, place })
  const exit = {
    to: name.endsWith('.byHashid') ? ('host' as const) : ('operation' as const),
    place,
    why: 'it is an argument of a service',
  }
  for (const argument of call.args) escapeNode(solver, argument, exit)
  add(solver, call.result, intern(solver, { kind: 'record' }))
}

function invokeContext(solver: Solver, platform: Platform, call: Call, path: string): void {
  switch (path) {
    case 'ctx.db.transaction': {
      const database = freshNode(solver)
      add(solver, database, capability(solver, 'ctx.db'))
      watchCall(solver, platform, { ...call, callee: call.args[0] ?? 0, receiver: 0, flags: 0, args: [database] })
      return
    }
    case 'ctx.db.rows':
    case 'ctx.db.row':
    case 'ctx.db.execute':
      escapeAll(solver, call, 'host', 'it is an argument of the database')
      add(solver, call.result, unknown)
      return
    case 'ctx.fetch':
      checkFetch(solver, platform, call)
      escapeAll(solver, call, 'host', 'it is sent over the network')
      add(solver, call.result, unknown)
      return
    case 'ctx.notify':
      checkNotify(solver, platform, call)
      escapeAll(solver, call, 'host', 'it is sent as a notification')
      return
    case 'ctx.publish':
      solver.uses.push({ operation: publishScope, place: call.place })
      escapeAll(solver, call, 'host', 'it is published')
      return
    case 'ctx.withPublicWrite':
      watchCall(solver, platform, {
        ...call,
        callee: call.args[1] ?? 0,
        receiver: 0,
        flags: 0,
        text: undefined,
        args: [],
      })
      return
    default:
      report(solver, {
        rule: 'scope-untraceable',
        place: call.place,
        message: `\`${shown(path)}\` is called, though it is no function.`,
        fix: 'Call an operation of it.',
      })
  }
}

function checkFetch(solver: Solver, platform: Platform, call: Call): void {
  const fix =
    'Declare the host under `egress` in manifest.json: {"host": …, "methods": […], "purpose": …, "personal_data": …}.'
  const { text, place } = call
  const host = text === undefined ? undefined : hostOf(text)
  if (host !== undefined && !platform.egress.has(host)) {
    report(solver, { rule: 'egress-undeclared', place, message: `The manifest does not declare \`${host}\`.`, fix })
  } else if (host === undefined && platform.egress.size === 0) {
    report(solver, {
      rule: 'egress-undeclared',
      place,
      message: 'The manifest declares no host, so every connection will be refused.',
      fix,
    })
  }
}

/** The host of an address, or of the beginning of one where the host is whole. */
function hostOf(text: string): string | undefined {
  const match = /^https?:\/\/([^/?#…]+)([/?#…]|$)/i.exec(text)
  return match && match[2] !== '…' ? match[1]?.toLowerCase().replace(/:443$/, '') : undefined
}

function checkNotify(solver: Solver, platform: Platform, call: Call): void {
  const { text, place } = call
  if (text === undefined || text.endsWith('…')) {
    const message = 'The notification key is made at run time: whether the manifest declares it cannot be told.'
    report(solver, { rule: 'notification-key-not-declared', place, message, fix: 'Write the key out.' })
    return
  }
  solver.notified.add(text)
  if (platform.notificationKeys.has(text)) return
  const fix = `Add {"key": "${text}", …} to \`notifications\` in manifest.json.`
  report(solver, {
    rule: 'notification-key-not-declared',
    place,
    message: `The manifest does not declare the notification \`${text}\`.`,
    fix,
  })
}

function defineModule(solver: Solver, module: ObjectValue): void {
  if (solver.modules.has(module)) return
  solver.modules.add(module)
  watchWidgets(solver, module)
}

const declarations = new Set(['defineModule', 'panel', 'stat', 'action', 'tool'])

function invokeSdk(solver: Solver, call: Call, name: string): void {
  const { place } = call
  if (name === 'sql' || name === 'html') {
    const message = `\`${name}\` is called as a function, so its text need not be a template of this source.`
    report(solver, { rule: 'tag-called', place, message, fix: `Use it as a tag: ${name}\`…\`.` })
    return
  }
  if (!declarations.has(name)) {
    escapeAll(solver, call, 'host', 'it is an answer to the platform')
    return
  }
  for (const argument of call.args) {
    escapeNode(solver, argument, { to: 'handler', place, why: 'it is part of a declaration' })
    if (name === 'defineModule')
      listen(solver, argument, (value) => value.kind === 'object' && defineModule(solver, value))
  }
  if (name !== 'defineModule') add(solver, call.result, capability(solver, 'sdk.declaration'))
}
