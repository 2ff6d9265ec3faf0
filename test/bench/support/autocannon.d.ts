/** What we use of autocannon, which brings no types. */
declare module 'autocannon' {
  type Request = { headers?: Record<string, string>; body?: string }
  type Options = {
    url: string
    connections: number
    duration: number
    method: 'GET' | 'POST'
    requests: { setupRequest(request: Request): Request }[]
  }
  type Result = {
    duration: number
    requests: { total: number }
    latency: { p50: number; p99: number }
    statusCodeStats?: Record<string, { count?: number }>
  }
  export default function autocannon(options: Options): Promise<Result>
}
