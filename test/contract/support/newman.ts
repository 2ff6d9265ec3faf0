import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runTool } from './run-tool.ts'

export type CollectionRun = {
  code: number
  requests: number
  assertions: number
  /** `<request>: <what is wrong>`. */
  failures: string[]
  /** Answers by status. */
  statuses: Record<number, number>
}

type Report = {
  run: {
    stats: { requests: { total: number }; assertions: { total: number } }
    failures: { source: { name: string }; error: { message: string } }[]
    executions: { response?: { code: number } }[]
  }
}

/** Fetches the host's own collection and runs it against the host with newman. */
export async function runCollection(url: string, token: string): Promise<CollectionRun> {
  const folder = mkdtempSync(join(tmpdir(), 'partner-collection-'))
  try {
    const collection = await fetch(`${url}/docs/postman_collection.json`)
    writeFileSync(join(folder, 'collection.json'), await collection.text())
    const reporter = ['--reporters', 'json', '--reporter-json-export', 'report.json']
    const tool: [string, string] = ['newman', 'bin/newman.js']
    const { code } = await runTool(folder, tool, 'run', 'collection.json', '--env-var', `token=${token}`, ...reporter)
    const { run } = JSON.parse(readFileSync(join(folder, 'report.json'), 'utf8')) as Report
    const statuses: Record<number, number> = {}
    for (const { response } of run.executions)
      if (response) statuses[response.code] = (statuses[response.code] ?? 0) + 1
    return {
      code,
      requests: run.stats.requests.total,
      assertions: run.stats.assertions.total,
      failures: run.failures.map(({ source, error }) => `${source.name}: ${error.message}`),
      statuses,
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
