import { printableEntry, printableLines } from '../../policy/printable.ts'
import { findCredential, type OperatorCredential } from '../supervisor/operator-credential.ts'

/** A refusal of the host, with what it found. */
export class Refused extends Error {
  override name = 'Refused'
  readonly exitCode = 1
  readonly report: unknown
  /** Of the error catalogue, for example `invalid_state`. */
  readonly code: string | undefined
  constructor(message: string, report: unknown, code?: string) {
    super(message)
    this.report = report
    this.code = code
  }
}

/** Asks a running host's operator door, with the credential it keeps for this user. */
export function askHost<Answer>(url: string, path: string, body?: unknown): Promise<Answer> {
  return ask(url, () => `/operator${path}`, body)
}

/** Asks the partners' portal, which takes the operator's credential and a partner's key. */
export function askPortal<Answer>(url: string, path: string, body?: unknown, method?: string): Promise<Answer> {
  return ask(url, ({ partnersPath }) => `${partnersPath}/api${path}`, body, method)
}

/** True where this user signed in as a partner. */
export const isPartner = (url: string): boolean => findCredential(url)?.token.startsWith('ppk_') ?? false

type Refusal = { message?: string; error?: string; report?: unknown; errors?: unknown }

async function ask<Answer>(
  asked: string,
  addressOf: (credential: OperatorCredential) => string,
  body: unknown,
  method = body === undefined ? 'GET' : 'POST',
): Promise<Answer> {
  const credential = findCredential(asked)
  if (!credential)
    throw new Error(`no credential for ${asked}: is the host running, as this user? Elsewhere: partner login`)
  const { url } = credential
  const path = addressOf(credential)
  const response = await fetch(new URL(path, url), {
    method,
    headers: {
      authorization: `Bearer ${credential.token}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  }).catch(() => {
    throw new Error(`no host answers at ${url}`)
  })
  const answer = readAnswer(await response.text(), `${url} answered ${response.status}`)
  if (!response.ok)
    throw new Refused(
      answer.error === 'not_found'
        ? `not found: ${path}${namesIn(body)}`
        : (answer.message ?? `status ${response.status}`),
      answer.report ?? answer.errors ?? null,
      answer.error,
    )
  return answer as Answer
}

/** A proxy before the host, or whatever else has its address, answers with pages. */
function readAnswer(text: string, what: string): Refusal {
  try {
    return text === '' ? {} : JSON.parse(text)
  } catch {
    throw new Error(`${what}, and not as a host does: is something else there, or before it?`)
  }
}

/** What a request names in its body, where its address does not say what is not there. */
function namesIn(body: unknown): string {
  const { slug, tenant, partner } = (body ?? {}) as { slug?: string; tenant?: string; partner?: string }
  const named = Object.entries({ app: slug, school: tenant, partner })
  return named.flatMap(([what, name]) => (name ? [`, ${what} ${name}`] : [])).join('')
}

export type RemoteOptions = { url: string; json?: boolean }

/** Prints an answer: as JSON where asked, else as `lines` says. */
export function print<Answer>(options: RemoteOptions, answer: Answer, lines: (answer: Answer) => string[]): void {
  console.log(options.json ? JSON.stringify(answer) : printableLines(lines(answer).join('\n')))
}

/** Runs a verb; a refusal is printed with its findings and ends with exit code 1. */
export async function reportRefusal(options: RemoteOptions, run: () => Promise<void>): Promise<void> {
  try {
    await run()
  } catch (error) {
    if (!(error instanceof Refused)) throw error
    if (options.json) console.log(JSON.stringify({ ...(error.report as object), message: error.message }))
    else console.error(refusalLines(error).join('\n'))
    process.exitCode = 1
  }
}

export const refusalLines = ({ message, report }: Refused): string[] =>
  [`partner: ${message}`, ...findingLines(report), ...fieldLines(report)].map(printableEntry)

type Finding = { file?: string; line?: number; message?: string; reason?: string; rule?: string }

/** `total` where not all are listed. */
type Findings = { findings?: Finding[]; problems?: Finding[]; total?: number }

function findingLines(report: unknown): string[] {
  const { findings, problems, total = 0 } = (report ?? {}) as Findings
  const listed = findings ?? problems ?? []
  const lines = listed.map(
    ({ file, line, rule, message, reason }) => `  ${file}:${line} ${message ?? reason}${rule ? ` (${rule})` : ''}`,
  )
  return total > listed.length ? [...lines, `  … and ${total - listed.length} more`] : lines
}

/** The fields of a 422, each with all that is wrong with it. */
function fieldLines(report: unknown): string[] {
  const fields = Object.entries((report ?? {}) as Record<string, unknown>)
  return fields.flatMap(([field, messages]) =>
    Array.isArray(messages) ? messages.filter(isText).map((message) => `  ${field}: ${message}`) : [],
  )
}

const isText = (value: unknown): value is string => typeof value === 'string'
