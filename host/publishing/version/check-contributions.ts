import { z } from 'zod'
import { codeHere } from '../../../policy/manifest/hosting.ts'
import type { HostRules, ReportedFinding } from '../../builder/messages.ts'
import { routeNamed, routesOf } from '../../embedded-apps/named-route.ts'
import type { Manifest } from '../source/read-manifest.ts'
import { fromManifest } from '../refused.ts'
import type { Workbench } from '../source/workshop.ts'

export type CheckedContributions = { manifest: Manifest; findings: ReportedFinding[] }

/**
 * What a module said of itself, held to what is written: its contributions to a student's page become part of the manifest
 * and are checked like it, each audience's route is one it has, a provider whose delivery is embedded is there, and tools have
 * names of this app. Source: specification, app manifest, audience declaration, provider manifest blocks, agent tools.
 */
export async function checkContributions(
  { builder }: Workbench,
  manifest: Manifest,
  contributions: Record<string, unknown>,
  rules: HostRules,
): Promise<CheckedContributions> {
  const contributed = Array.isArray(contributions.studentProfile) ? contributions.studentProfile : []
  const { studentProfile: _, ...own } = manifest
  const json = contributed.length > 0 ? { ...own, studentProfile: contributed } : own
  const checked = await builder.ask('manifest', { json, ...rules })
  const byKey = (path: string) =>
    path.replace(/^studentProfile\[(\d+)\]/, (_whole, index) => `studentProfile.${contributed[index]?.key}`)
  const refused = checked.findings.map((finding) =>
    fromManifest('src/index.ts', { ...finding, path: byKey(finding.path) }),
  )
  return {
    manifest: (checked.manifest as Manifest | undefined) ?? manifest,
    findings: [
      ...refused,
      ...checkRoutes(manifest, contributions),
      ...checkProvider(manifest, contributions),
      ...checkTools(manifest, contributions),
    ],
  }
}

function checkRoutes(
  { moduleId, account_types: types = [] }: Manifest,
  contributions: Record<string, unknown>,
): ReportedFinding[] {
  const routes = routesOf(contributions)
  return types.flatMap(({ web_route: name }, index) => {
    if (name === undefined || routeNamed(routes, moduleId, name)) return []
    const finding = {
      path: `account_types[${index}].web_route`,
      rule: 'manifest-shape',
      message: `The module has no route \`${name}\`.`,
      mend: `Name one of its routes: ${routes.map((route) => route.name).join(', ')}.`,
    }
    return [fromManifest('manifest.json', finding)]
  })
}

const providerOf = { notification: 'notificationProvider', payment: 'paymentProvider' } as const

function checkProvider(manifest: Manifest, contributions: Record<string, unknown>): ReportedFinding[] {
  const { integrationType: type } = manifest
  if (type !== 'notification' && type !== 'payment') return []
  const provider = providerOf[type]
  if (codeHere(manifest) !== 'needed' || contributions[provider] === true) return []
  const finding = {
    path: provider,
    rule: 'manifest-block',
    message: `The ${type} provider is delivered embedded, and the module defines none.`,
    mend: `Give \`defineModule\` a \`${provider}\`, or choose the delivery \`api\`.`,
  }
  return [fromManifest('src/index.ts', finding)]
}

const toolsIn = z.object({ tools: z.array(z.object({ name: z.string() })).default([]) })

function checkTools({ moduleId }: Manifest, contributions: Record<string, unknown>): ReportedFinding[] {
  const names = (toolsIn.safeParse(contributions).data?.tools ?? []).map(({ name }) => name)
  const pattern = new RegExp(`^${moduleId}\\.[a-z][a-z0-9_]*\\.[a-z][a-z0-9_]*$`)
  return names.flatMap((name, index) => {
    const isAgain = names.indexOf(name) < index
    if (pattern.test(name) && !isAgain) return []
    const finding = {
      path: `tools[${index}].name`,
      rule: 'manifest-shape',
      message: isAgain
        ? `There are two tools \`${name}\`.`
        : `\`${name.slice(0, 100)}\` is no name of a tool of this app.`,
      mend: `Write \`${moduleId}.<resource>.<action>\`, in small letters.`,
    }
    return [fromManifest('src/index.ts', finding)]
  })
}
