import assert from 'node:assert/strict'
import { createCoreDatabase } from '../../host/database/core-database.ts'
import type { Problem } from '../../host/school-import/csv-table.ts'
import { importSchool, type SchoolImportContext, SchoolImportError } from '../../host/school-import/import-school.ts'
import { createCipher } from '../../host/security/cipher.ts'
import { testHostKey } from '../support/cluster.ts'
import { createTestDatabase } from '../support/database.ts'
import { createSchool } from '../support/school.ts'
import { encode } from './one-roster-files.ts'

/** What an import works with, over a test database. */
export async function startImports() {
  const database = await createTestDatabase()
  const core = createCoreDatabase({ connection: database.connection.core, poolSize: 4 })
  const context: SchoolImportContext = {
    database: core,
    cipher: createCipher(testHostKey),
    clock: () => new Date(),
    platformTimeZone: 'Asia/Riyadh',
  }
  const countStudents = async (tenantId: string): Promise<number> => {
    const text = 'select count(*)::int as n from core.students where tenant_id = $1'
    return (await database.admin.query(text, [tenantId])).rows[0].n
  }
  return {
    database,
    context,
    countStudents,
    /** What is wrong with files that are refused, of which nothing is kept. */
    async problemsOf(files: Record<string, string | Buffer>, org?: string): Promise<Problem[]> {
      const { id } = await createSchool(database.admin)
      const error = await importSchool(context, id, encode(files), org).then(
        () => assert.fail('the import was taken'),
        (thrown: unknown) => thrown,
      )
      assert.ok(error instanceof SchoolImportError, String(error))
      assert.equal(await countStudents(id), 0)
      return error.problems
    },
    async close() {
      await core.close()
      await database.drop()
    },
  }
}
