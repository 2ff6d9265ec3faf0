import type { Context } from '@partner/sdk'

export type NamedSection = { id: string; name: string }

/** The school's sections, each named with its grade. A school has fewer than one page of them. */
export async function listSections({ services }: Pick<Context, 'services'>): Promise<NamedSection[]> {
  const [sections, grades] = await Promise.all([
    services.education.sections.list({ per_page: 100 }),
    services.education.grades.list({ per_page: 100 }),
  ])
  const gradeNames = new Map(grades.data.map(({ id, name }) => [id, name]))
  return sections.data.map(({ id, name, grade_id }) => ({
    id,
    name: [grade_id && gradeNames.get(grade_id), name].filter(Boolean).join(' · '),
  }))
}
