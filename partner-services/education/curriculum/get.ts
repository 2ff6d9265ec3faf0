import { z } from 'zod'
import { tenantToday } from '../../identity/tenant-zone.ts'
import { defineOperation } from '../../service/operation.ts'
import { recordId, ulid } from '../../service/schemas.ts'
import { curriculum, publishedCurriculum } from './curriculum.ts'

/** The published distribution of a subject over the weeks of a term. */
export const getCurriculum = defineOperation({
  name: 'education.curriculum.get',
  scope: 'education.curriculum.read',
  summary: "Get a subject's published curriculum",
  description:
    'Where a subject has one in several terms: that of `term_id`, else the one that holds today, else the last.',
  http: { method: 'GET', path: '/education/subjects/{id}/curriculum' },
  input: z.object({ id: recordId, term_id: ulid.optional() }),
  output: z.object({ curriculum }),
  touched: (output) => [output.curriculum.subject_id],
  async handler({ db, input, caller, ports }) {
    const date = await tenantToday(db, caller, ports)
    const wanted = { tenantId: caller.tenant.id, subjectId: input.id, date, termId: input.term_id }
    return { curriculum: await publishedCurriculum(db, wanted) }
  },
})
