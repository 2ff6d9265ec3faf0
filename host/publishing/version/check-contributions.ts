import type { HostRules, ReportedFinding } from '../../builder/messages.ts'
import { routeNamed, routesOf } from '../../embedded-apps/named-route.ts'
import type { Manifest } from '../source/read-manifest.ts'
import { fromManifest } from '../refused.ts'
import type { Workbench } from '../source/workshop.ts'

export type CheckedContributions = { manifest: Manifest; findings: ReportedFinding[] }

/**
 * What a module said of itself, held to what is written: its contributions to a student's page become part of the manifest
 * and are checked like it, and each audience's route is one it has. Source: specification, app manifest, audience declaration.
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
    findings: [...refused, ...checkRoutes(manifest, contributions)],
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
