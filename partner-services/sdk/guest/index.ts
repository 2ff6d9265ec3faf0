import { isModuleDefinition } from '../define-module.ts'
import type { HostCall } from './call.ts'
import { describeModule } from './describe.ts'
import { encodeAnswer } from './encode-answer.ts'
import * as entries from './entries.ts'
import { routeTable } from './route-table.ts'

const runners: Record<string, (module: entries.LoadedModule, input: never, call: HostCall) => unknown> = {
  route: entries.runRoute,
  tool: entries.runTool,
  event: entries.runEvent,
  profile: entries.runProfile,
  widget: entries.runWidget,
  action: entries.runWidgetAction,
  notification: entries.runNotification,
  payment: entries.runPayment,
}

/** What the runner calls: one entry, its parsed input, this request's door to the host. */
export type Guest = { handle(entry: string, input: unknown, call: HostCall): string | Promise<string> }

/** A module's definition as a guest of the sandbox. Throws, while the bundle loads, on what is no definition. */
export function createGuest(definition: unknown): Guest {
  if (!isModuleDefinition(definition)) throw new TypeError('src/index.ts must export default defineModule({…})')
  const module = { definition, routes: routeTable(definition.routes) }
  return {
    handle(entry, input, call) {
      if (entry === 'describe') return describeModule(definition, module.routes)
      const run = Object.hasOwn(runners, entry) ? runners[entry]! : null
      return run ? answer(() => run(module, input as never, call)) : 'n'
    },
  }
}

async function answer(run: () => unknown): Promise<string> {
  try {
    return encodeAnswer(await run())
  } catch (error) {
    if (error instanceof entries.AbsentEntry) return 'n'
    throw error
  }
}
