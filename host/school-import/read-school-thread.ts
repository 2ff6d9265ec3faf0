/** The thread behind `readSchool`: reads one school's files, and ends. */
import { parentPort, workerData } from 'node:worker_threads'
import { createProblems } from './csv-table.ts'
import { readOneRoster, type SchoolRecords } from './one-roster.ts'
import type { SchoolFiles, SchoolRead } from './read-school.ts'

const batchSize = 5_000

function read({ files, ...school }: SchoolFiles): SchoolRead {
  const problems = createProblems()
  const contents = new Map(Object.entries(files).map(([name, content]) => [name, Buffer.from(content, 'base64')]))
  const { records, told, left } = readOneRoster(contents, school, problems)
  return {
    problems: { list: problems.list, total: problems.total },
    told,
    left,
    counts: ofEach(records, (rows) => rows.length),
    batches: ofEach(records, inBatches),
  }
}

const ofEach = <Result>(records: SchoolRecords, of: (rows: readonly object[]) => Result) =>
  Object.fromEntries(Object.entries(records).map(([table, rows]) => [table, of(rows)])) as Record<
    keyof SchoolRecords,
    Result
  >

const inBatches = (rows: readonly object[]): string[] =>
  Array.from({ length: Math.ceil(rows.length / batchSize) }, (_, index) =>
    JSON.stringify(rows.slice(index * batchSize, (index + 1) * batchSize)),
  )

parentPort?.postMessage(read(workerData as SchoolFiles))
