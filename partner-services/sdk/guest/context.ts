import type { Context, FetchOptions, FetchResponse, Locale, Log, Viewer } from '../context.ts'
import { callHost, type HostCall } from './call.ts'
import { bindDatabase } from './database.ts'
import { bindServices } from './services.ts'

/** What the host says of every call, whatever the entry. */
export type CommonInput = { viewer?: Viewer | null; locale?: Locale; settings?: Record<string, unknown> }

/** The context of one call: everything in it goes through this call's own door. */
export function bindContext(input: CommonInput, call: HostCall): Context {
  return {
    services: bindServices(call),
    db: bindDatabase(call),
    viewer: input.viewer ?? null,
    locale: input.locale ?? 'en',
    settings: input.settings ?? {},
    fetch: (url, options) => fetchThroughHost(call, url, options),
    notify: (key, variables, recipients) => callHost(call, 'notify', { key, variables, recipients }),
    publish: (event, payload) => callHost(call, 'publish', { event, payload }),
    log: bindLog(call),
  }
}

async function fetchThroughHost(call: HostCall, url: string, options: FetchOptions = {}): Promise<FetchResponse> {
  type Raw = { status: number; headers: Record<string, string>; body: string }
  const { status, headers, body } = await callHost<Raw>(call, 'fetch', { url: String(url), ...options })
  return {
    status,
    ok: status >= 200 && status < 300,
    headers,
    text: () => body,
    json: () => JSON.parse(body),
  }
}

function bindLog(call: HostCall): Log {
  const write = (level: keyof Log) => (message: string) => call.log?.(level, message)
  return { debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error') }
}
