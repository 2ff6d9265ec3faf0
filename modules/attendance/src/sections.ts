import type { Context } from '@partner/sdk'
import { everyPage } from './every-page.ts'

export type NamedSection = { id: string; name: string }

/** The school's sections, each named with its grade. */
export async function listSections({ services }: Pick<Context, 'services'>): Promise<NamedSection[]> {
  const [sections, grades] = await Promise.all([
    everyPage((page) => services.education.sections.list({ page, per_page: 100 })),
    everyPage((page) => services.education.grades.list({ page, per_page: 100 })),
  ])
  const gradeNames = new Map(grades.map(({ id, name }) => [id, name]))
  return sections.map(({ id, name, grade_id }) => ({
    id,
    name: [grade_id && gradeNames.get(grade_id), name].filter(Boolean).join(' · '),
  }))
}
