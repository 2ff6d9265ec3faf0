import type { StudentContribution } from '../contributions.ts'
import type { ModuleDefinition } from '../define-module.ts'
import type { Tool } from '../tool.ts'
import type { Route } from './route-table.ts'

/** Everything the module declares by code, as JSON text. Functions are left out by JSON itself. */
export function describeModule(definition: ModuleDefinition, routes: readonly Route[]): string {
  return JSON.stringify({
    routes: routes.map(({ method, path, name }) => ({ method, path, name })),
    studentProfile: Object.entries(definition.studentProfile ?? {}).map(describeContribution),
    widgets: Object.entries(definition.widgets ?? {}).map(([key, Widget]) => ({
      key,
      actions: Object.keys(new Widget().actions),
    })),
    tools: (definition.tools ?? []).map(describeTool),
    events: Object.keys(definition.events ?? {}),
    notificationProvider: definition.notificationProvider !== undefined,
    paymentProvider: definition.paymentProvider !== undefined,
  })
}

const describeContribution = ([key, contribution]: [string, StudentContribution]) => ({
  key,
  order: 100,
  ...contribution,
})

const describeTool = ({ name, description, parameters, requiredScopes = [] }: Tool) => ({
  name,
  description,
  parameters,
  requiredScopes,
})
