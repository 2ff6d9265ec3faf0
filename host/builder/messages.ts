import { z } from 'zod'
import type { KnownSchema } from '../../policy/migrations/known-schema.ts'

/** A job asked of a builder, and its answer. `room`: which module, where the builder's folder holds several. */
export type Question = { id: number; job: string; argument: unknown; room?: string }

export const answerSchema = z.object({ id: z.int(), result: z.unknown().optional(), error: z.string().optional() })

/** What the setting of the host that publishes decides of a manifest. */
export type HostRules = { allowLoopback: boolean }

export type PlanRequest = {
  /** Of the migration. */
  version: string
  /** The files of a run come in their order; `known` comes with the first: what the schema holds before it. */
  run: { id: string; known?: KnownSchema }
  target: { schema: string; runSchema: string; runtimeRole: string; knownTables: string[]; applied?: boolean }
}

/** A builder parses strangers' code: what it answers is checked like any stranger's word. */
const text = z.string()
const line = z.int().min(0)

export const findingSchema = z.object({
  rule: text,
  severity: z.enum(['error', 'warning']).default('error'),
  file: text,
  line,
  column: line.optional(),
  message: text,
  fix: text.optional(),
})
export type ReportedFinding = z.output<typeof findingSchema>

const scopeReport = z.object({
  used: z.array(z.object({ scope: text, uses: z.array(z.object({ operation: text, file: text, line })) })),
  declared: z.array(text),
  unused: z.array(text),
  undeclared: z.array(text),
})

const migrationFinding = z.object({
  rule: text,
  severity: z.enum(['error', 'warning']),
  file: text,
  line,
  reason: text,
  mend: text.optional(),
})

const migrationFile = z.object({
  version: z.string().regex(/^\d{4}_\d{2}_\d{2}_\d{6}$/),
  name: text,
  file: text,
  kind: z.enum(['sql', 'php']),
  checksum: z.string().regex(/^[0-9a-f]{64}$/),
  text,
})

/** The answer of each job. */
export const answers = {
  warm: z.object({}),
  scan: z.object({ findings: z.array(findingSchema), scopes: scopeReport }),
  manifest: z.object({
    manifest: z.record(text, z.unknown()).optional(),
    findings: z.array(z.object({ path: text, rule: text, message: text, mend: text.optional() })),
  }),
  bundle: z.union([
    z.object({ bundle: z.object({ code: text, sourceMap: text, hash: text, files: z.array(text) }) }),
    z.object({ findings: z.array(findingSchema) }),
  ]),
  migrations: z.object({
    migrations: z.array(migrationFile),
    skipped: z.array(z.object({ file: text, reason: z.enum(['name', 'base', 'not_a_file']) })),
    findings: z.array(migrationFinding),
  }),
  plan: z.object({
    ok: z.boolean(),
    statements: z.array(z.object({ sql: text, line, class: z.enum(['ddl', 'data']) })),
    findings: z.array(migrationFinding),
    reverse: z.array(text).optional(),
  }),
} as const

export type Answers = { [Job in keyof typeof answers]: z.output<(typeof answers)[Job]> }
