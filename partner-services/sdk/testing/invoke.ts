import { readFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'

export type InvokeOptions = {
  /** A user name of the sandbox school; its administrator unless given. */
  as?: string
  /** A form's fields, or a tool's input. */
  data?: Record<string, unknown>
}

export type Invoked = {
  /** As a browser would see it: 303 for a redirect, 404 for what is not there, 500 for what the host sends to nobody. */
  status: number
  /** HTML as the host made it safe, JSON text, or the path of a redirect. */
  text: string
  /** The answer's JSON. */
  json(): unknown
  /** Where the call ended with 422: messages by field. */
  errors?: Record<string, string[]>
  /** What the module wrote to its log during this call, and what the host wrote there of its answer. */
  log: { level: string; message: string }[]
  usage: { cpu_ms: number; service_calls: number }
}

type Raw = {
  status: number
  text?: string
  error?: string
  message?: string
  errors?: Record<string, string[]>
  log: Invoked['log']
  used: Invoked['usage']
}

/** Calls into the module as `partner invoke` does, with the operator credential that the host left for this user. */
export function createInvoker(
  url: string,
  slug: string,
): (target: string, options?: InvokeOptions) => Promise<Invoked> {
  const credential = readCredential(url)
  return async (target, { as, data } = {}) => {
    const { token } = await credential
    const request = { slug, target, ...(as ? { as } : {}), ...(data ? { data, method: 'POST' } : {}) }
    const response = await fetch(`${url}/operator/invoke`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(request),
    })
    const answer = (await response.json()) as Raw
    if (!response.ok) throw new Error(`the host refused the call: ${response.status} ${whyOf(answer)}`)
    const { status, text = '', errors, log, used: usage } = answer
    return { status, text, json: () => JSON.parse(text), ...(errors ? { errors } : {}), log, usage }
  }
}

const whyOf = ({ message, errors = {} }: Raw): string =>
  [message, ...Object.entries(errors).map(([field, messages]) => `${field}: ${messages.join(' ')}`)].join(' ')

async function readCredential(url: string): Promise<{ token: string }> {
  const path = join(homedir(), '.partner', `${new URL(url).host}.json`)
  return JSON.parse(await readFile(path, 'utf8')) as { token: string }
}
