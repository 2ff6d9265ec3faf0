import { z } from 'zod'
import { defineOperation } from '../service/operation.ts'
import type { Cipher } from '../service/ports.ts'
import { instant, listQuery, pageSize, text, ulid } from '../service/schemas.ts'
import { and, sql } from '../service/sql.ts'

const personType = z.enum(['student', 'employee'])

const person = z
  .object({
    person_type: personType,
    person_id: ulid,
    model: z.string().meta({ example: 'facenet-512' }),
    dimensions: z.int().meta({ example: 4 }),
    captures_count: z.int().meta({ example: 5 }),
    registered_at: instant,
    embedding: z.array(z.number()).meta({ example: [0.5, -0.25, 0.125, 0] }),
  })
  .meta({ id: 'FaceEmbedding' })

type Row = Omit<z.input<typeof person>, 'embedding'> & { embedding_encrypted: Buffer; released: boolean }

/** Bound to the person as well, so that a stored vector cannot pass for another's. */
const fieldOf = (personId: string) => `face_embeddings.embedding|${personId}`

/** The stored form of a vector: 32-bit floats, little-endian, under the tenant's key. */
export function sealEmbedding(cipher: Cipher, tenantId: string, personId: string, vector: readonly number[]): Buffer {
  const plain = Buffer.alloc(vector.length * 4)
  for (const [index, value] of vector.entries()) plain.writeFloatLE(value, index * 4)
  return cipher.encrypt(tenantId, fieldOf(personId), plain)
}

/** Null where the row was made under another key, or does not hold what it says. */
function openEmbedding(cipher: Cipher, tenantId: string, row: Row): number[] | null {
  try {
    const plain = cipher.decrypt(tenantId, fieldOf(row.person_id), row.embedding_encrypted)
    if (plain.length !== row.dimensions * 4) return null
    const vector = Array.from({ length: row.dimensions }, (_, index) => plain.readFloatLE(index * 4))
    return vector.every(Number.isFinite) ? vector : null
  } catch {
    return null
  }
}

/** Face vectors of one model. Released students and rows that cannot be decrypted count in `total` only. */
export const listFaceEmbeddings = defineOperation({
  name: 'education.face_embeddings.list',
  scope: 'education.face_embeddings.read',
  summary: 'List face embeddings',
  description:
    '`count` is the number of records on this page after dropping released students and rows that cannot be decrypted; ' +
    '`total` is what the tenant holds. Drive paging by `total`.',
  http: { method: 'GET', path: '/education/face-embeddings' },
  input: z.object({
    model: text().meta({ example: 'facenet-512' }),
    person_type: personType.optional(),
    page: listQuery.shape.page,
    per_page: pageSize(50),
  }),
  output: z.object({ model: z.string(), count: z.int(), total: z.int(), people: z.array(person) }),
  touched: ({ people }) => people.map(({ person_id }) => person_id),
  async handler({ db, input, caller, ports }) {
    const { data, total } = await db.page<Row>(input, {
      columns: sql`person_type, person_id, model, dimensions, captures_count, registered_at, embedding_encrypted,
        person_type = 'student' and not exists (select from core.students s
          where s.tenant_id = ${caller.tenant.id} and s.id = person_id and s.released_at is null) as released`,
      from: sql`core.face_embeddings`,
      where: sql`tenant_id = ${caller.tenant.id} and model = ${input.model}${and(
        input.person_type && sql`person_type = ${input.person_type}`,
      )}`,
    })
    const people = data.flatMap((row) => {
      const embedding = row.released ? null : openEmbedding(ports.cipher, caller.tenant.id, row)
      return embedding ? [{ ...row, embedding }] : []
    })
    return { model: input.model, count: people.length, total, people }
  },
})
