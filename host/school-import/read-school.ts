import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import type { WrongRows } from './csv-table.ts'
import type { SchoolRecords } from './one-roster.ts'
import type { ToldColumns } from './told-columns.ts'

type Table = keyof SchoolRecords

/** What the files of a school come to: its records, some thousands to a JSON text, or what is wrong with them. */
export type SchoolRead = {
  readonly problems: WrongRows
  readonly told: ToldColumns
  readonly left: readonly string[]
  readonly counts: { readonly [table in Table]: number }
  readonly batches: { readonly [table in Table]: readonly string[] }
}
export type SchoolFiles = {
  readonly tenantId: string
  readonly today: string
  readonly callingCode: string | null
  readonly org: string | undefined
  readonly files: Readonly<Record<string, string>>
}

/** Reads in a thread of its own: a large school takes seconds, in which this process would answer nobody. */
export async function readSchool(school: SchoolFiles): Promise<SchoolRead> {
  const thread = new Worker(new URL('./read-school-thread.ts', import.meta.url), { workerData: school })
  try {
    const [read] = await once(thread, 'message')
    return read as SchoolRead
  } finally {
    void thread.terminate()
  }
}
