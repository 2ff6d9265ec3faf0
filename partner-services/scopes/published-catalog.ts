import { createHash } from 'node:crypto'
import { z } from 'zod'
import { catalogLabels, type ScopeDefinition, scopeCatalog } from './catalog.ts'

const labels = { label_ar: z.string(), label_en: z.string() }

/** The catalog as the partner portal publishes it. Source of the shape: decisions.md, scope catalog. */
export const publishedCatalog = z
  .object({
    version: z.string().meta({ description: 'Changes whenever anything of the catalog does', example: '4f2a9c0b1d3e' }),
    features: z.array(
      z.object({
        key: z.string().meta({ example: 'education' }),
        ...labels,
        resources: z.array(
          z.object({
            key: z.string().meta({ example: 'education.students' }),
            ...labels,
            scopes: z.array(
              z.object({
                key: z.string().meta({ example: 'education.students.read' }),
                action: z.enum(['read', 'write', 'send']),
                dangerous: z.boolean(),
                public_surface: z.boolean(),
                public_writable: z.boolean(),
                active: z.boolean(),
                description_ar: z.string(),
                description_en: z.string(),
              }),
            ),
          }),
        ),
      }),
    ),
  })
  .meta({ id: 'ScopeCatalog' })

export type PublishedCatalog = z.input<typeof publishedCatalog>

/** All scopes grouped by feature, then resource. */
export function publishCatalog(): PublishedCatalog {
  const features = Map.groupBy(scopeCatalog, ({ key }) => key.split('.')[0]!)
  const published = [...features].map(([feature, scopes]) => ({
    key: feature,
    ...labelsOf(catalogLabels.features[feature]),
    resources: [...Map.groupBy(scopes, ({ key }) => key.slice(0, key.lastIndexOf('.')))].map(([resource, own]) => ({
      key: resource,
      ...labelsOf(catalogLabels.resources[resource]),
      scopes: own.map(publishedScope),
    })),
  }))
  const version = createHash('sha256').update(JSON.stringify(published)).digest('hex').slice(0, 12)
  return { version, features: published }
}

const labelsOf = (label: { ar: string; en: string } | undefined) => ({
  label_ar: label?.ar ?? '',
  label_en: label?.en ?? '',
})

const publishedScope = (scope: ScopeDefinition) => ({
  key: scope.key,
  action: scope.action,
  dangerous: scope.dangerous,
  public_surface: scope.publicSurface,
  public_writable: scope.publicWritable,
  active: scope.active,
  description_ar: scope.description.ar,
  description_en: scope.description.en,
})
