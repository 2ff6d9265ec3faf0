/**
 * Every limit of the sandbox in one place. Defaults are the measured ones of the design; those of a request may be set for
 * one app. Out-of-range or unknown settings are refused, never clamped in silence.
 */
export type Limits = {
  /** Heap of one isolate, in MB. */
  memoryMb: number
  /** Longest synchronous run of guest code, in ms of wall time. At nice 10, 250 ms gave no false kill in 140. */
  sliceMs: number
  /** CPU time of one request, in ms. */
  cpuMs: number
  /** Wall time of one request, service calls included, in ms. */
  wallMs: number
  /** Service calls (and timers) one request may have in flight. */
  pendingCalls: number
  /** Service calls one request may make in all. */
  totalCalls: number
  /** Size of one service call's arguments, in bytes of JSON. */
  argumentBytes: number
  /** Size of a request's result, in bytes of JSON. */
  resultBytes: number
  /** Size of a bundle, in bytes. */
  bundleBytes: number
  /** Log lines one request may write; the rest is dropped with one line that says so. */
  logLines: number
  /** Length of one log line, in characters. */
  logLineLength: number
  /** Isolates one runner keeps; the least recently used is dropped. More where there is memory: `pool/room.ts`. */
  isolatesPerRunner: number
  /** Heap of all isolates of one runner, in MB. More where there is memory. */
  isolatesMb: number
  /** An isolate that nobody called for so long is dropped, in ms. */
  idleMs: number
  /** CPU time for which a runner may stay silent before it is killed, in ms. */
  unresponsiveCpuMs: number
  /** Silence without using any CPU after which a runner is killed, in ms. */
  silenceMs: number
  /** Resident memory of a runner above which it is killed, in MB. More where there is memory. */
  runnerRssMb: number
  /** What a runner's resident memory may grow by from one answer to the watchdog to the next, in MB. */
  runnerGrowthMb: number
}

export type LimitRange = { default: number; min: number; max: number }

/** V8 aborts the process just above 4,000 live isolates, so 1,000 is a hard cap. */
export const limitRanges: Record<keyof Limits, LimitRange> = {
  memoryMb: { default: 64, min: 8, max: 256 },
  sliceMs: { default: 250, min: 50, max: 400 },
  cpuMs: { default: 1_000, min: 50, max: 60_000 },
  wallMs: { default: 10_000, min: 50, max: 120_000 },
  pendingCalls: { default: 64, min: 1, max: 256 },
  totalCalls: { default: 500, min: 1, max: 10_000 },
  argumentBytes: { default: 262_144, min: 1_024, max: 1_048_576 },
  resultBytes: { default: 1_048_576, min: 1_024, max: 8_388_608 },
  bundleBytes: { default: 2_097_152, min: 1_024, max: 8_388_608 },
  logLines: { default: 200, min: 0, max: 5_000 },
  logLineLength: { default: 2_000, min: 80, max: 16_000 },
  isolatesPerRunner: { default: 200, min: 1, max: 1_000 },
  isolatesMb: { default: 350, min: 16, max: 4_096 },
  idleMs: { default: 600_000, min: 100, max: 86_400_000 },
  unresponsiveCpuMs: { default: 500, min: 100, max: 10_000 },
  silenceMs: { default: 5_000, min: 500, max: 60_000 },
  runnerRssMb: { default: 512, min: 128, max: 8_192 },
  runnerGrowthMb: { default: 384, min: 128, max: 8_192 },
}

/** What a single request may use, so that one app may have its own; the others belong to the runner as a whole. */
export const requestLimitNames = [
  'cpuMs',
  'wallMs',
  'pendingCalls',
  'totalCalls',
  'argumentBytes',
  'resultBytes',
  'logLines',
  'logLineLength',
] as const satisfies (keyof Limits)[]

/** Timers that one isolate may have set, those that ended requests left behind among them: these give way to others. */
export const mostTimers = 1_024

export type RequestLimits = Pick<Limits, (typeof requestLimitNames)[number]>

const isLimit = (name: string): name is keyof Limits => Object.hasOwn(limitRanges, name)
export const isRequestLimit = (name: string): name is keyof RequestLimits =>
  requestLimitNames.some((known) => known === name)

export const isInRange = (name: keyof Limits, value: unknown): value is number =>
  Number.isSafeInteger(value) && Number(value) >= limitRanges[name].min && Number(value) <= limitRanges[name].max

/** What a value of this limit has to be, in words. */
export const describeRange = (name: keyof Limits): string =>
  `must be a whole number from ${limitRanges[name].min} to ${limitRanges[name].max}`

/** Defaults with the given settings over them. Throws a RangeError that names the setting and its range. */
export function resolveLimits(settings: Partial<Limits> = {}, base: Limits = defaultLimits()): Limits {
  const limits = { ...base }
  for (const [name, value] of Object.entries(settings)) {
    if (value === undefined) continue
    if (!isLimit(name)) throw new RangeError(`unknown sandbox limit "${name}"`)
    if (!isInRange(name, value)) throw new RangeError(`sandbox limit "${name}" ${describeRange(name)}`)
    limits[name] = value
  }
  return limits
}

export function defaultLimits(): Limits {
  const entries = Object.entries(limitRanges).map(([name, range]) => [name, range.default])
  return Object.fromEntries(entries) as Limits
}
