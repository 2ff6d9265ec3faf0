import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { text, ulid } from '../../partner-services/service/schemas.ts'
import { errorsByFile } from '../http/errors-by-file.ts'
import { parseRequest } from '../http/parse-request.ts'
import { uploadedFiles } from '../http/uploaded-files.ts'
import { importSchool, SchoolImportError } from '../school-import/import-school.ts'
import type { WebContext } from '../web/context.ts'

const upload = z.object({ tenant: ulid, files: uploadedFiles, org: text().optional() })

/** Takes a school's OneRoster files, whole or not at all. */
export function registerSchoolImport(server: FastifyInstance, { database, ports }: WebContext): void {
  const context = { ...ports, database }
  server.post('/import-school', async (request, reply) => {
    const { tenant, files, org } = parseRequest(upload, request.body)
    try {
      return await importSchool(context, tenant, files, org)
    } catch (error) {
      if (!(error instanceof SchoolImportError)) throw error
      const { message, problems, total } = error
      const wrong = problems.map(({ reason, ...at }) => ({ ...at, message: reason }))
      const errors = errorsByFile(wrong, total)
      return reply.status(422).send({ message, error: 'invalid_data', errors, report: { problems, total } })
    }
  })
}
