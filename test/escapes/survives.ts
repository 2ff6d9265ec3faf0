import { jsonOf } from '../isolates/json-of.ts'
import assert from 'node:assert/strict'
import type { FailureKind, GuestAnswer, GuestRequest } from '../../host/isolates/client/types.ts'
import { requestOf, type Sandbox, startSandbox } from '../isolates/support.ts'

export type Attack = { name: string; source: string; expected: AttackExpectation }
export type AttackExpectation = {
  /**
   * The answer must be a failure of one of these kinds. An attack that fills a time slice says `runner_lost` and `timeout`
   * beside its own: when a busy machine becomes free in the middle of a stretched slice, the watchdog comes first; when it
   * stays busy, the request's time is up first. One that fills tens of megabytes says `runner_lost` too: virtual machines
   * were seen that take 13 µs for each fresh page, and half a second of CPU time is 150 MB there.
   */
  kinds?: readonly FailureKind[]
  /** The answer must be this JSON text; beside `kinds`, this or such a failure. */
  value?: string
  /** What the attacker's services answer, beside the usual ones. */
  serve?: GuestRequest['serve']
}

const attacks: Attack[] = []
export const registeredAttacks = (): readonly Attack[] => attacks

/** One attack: guest source that defines a handler `h`; it reaches the host by `hostCall` and its kin. */
export function survives(name: string, source: string, expected: AttackExpectation = {}): void {
  attacks.push({ name, source, expected })
}

const prelude = `let currentCall
globalThis.hostCall = (value) => currentCall('svc', value)
globalThis.hostPost = globalThis.hostSync = globalThis.hostThrow = globalThis.hostSyncPromise = globalThis.hostCall
const partnerHandle = (entry, input, call) => { currentCall = call; return globalThis.h() }
`
export const attackerCode = (source: string) =>
  `${prelude};${source};globalThis.__partner_module__ = { handle: partnerHandle }`
const victimCode = 'globalThis.__partner_module__ = { handle: (entry, input) => ({ answer: input + 1 }) }'

/** `slow`, `never` and `big` are what some attacks ask for. */
export const serve: GuestRequest['serve'] = async (_path, args) => {
  if (args === '"never"') return new Promise(() => {})
  if (args === '"slow"') await new Promise((resolve) => setTimeout(resolve, 1_000))
  return args === '"big"' ? JSON.stringify('b'.repeat(1 << 20)) : '"r"'
}

const knownKinds: readonly FailureKind[] = [
  'threw',
  'timeout',
  'never_settled',
  'cpu',
  'memory',
  'flood',
  'result_too_large',
  'unserialisable',
  'argument_too_large',
  'too_many_calls',
  'load_failed',
  'runner_lost',
]

const attackMs = 2_000
/** What counts is that a victim's answer is right: on a starved machine half a second of CPU time is many on the clock. */
const victimMs = 60_000
let lastAttack = 0

/**
 * Runs one attack beside a victim of another tenant in the same runner. This process lives, the victim's answers are right
 * before, during and after, and the attacker's caller gets a typed answer.
 */
export async function runAttack(sandbox: Sandbox, attack: Attack): Promise<GuestAnswer> {
  const name = `attacker-${++lastAttack}`
  const victim = async (input: number) => {
    const answer = await sandbox.client.call(
      requestOf('victim', victimCode, { quarantine: true, input: String(input), limits: { wallMs: victimMs } }),
    )
    assert.equal(answer.ok ? jsonOf(answer) : JSON.stringify(answer.error), `{"answer":${input + 1}}`)
  }
  await victim(1)
  const [answer] = await Promise.all([
    sandbox.client.call(
      requestOf(name, attackerCode(attack.source), {
        quarantine: true,
        serve: attack.expected.serve ?? serve,
        limits: { wallMs: attackMs },
      }),
    ),
    victim(2),
    victim(3),
  ])
  await victim(4)
  sandbox.client.drop(name)

  if (!answer.ok) {
    assert.ok(knownKinds.includes(answer.error.kind), answer.error.kind)
    assert.doesNotMatch(`${answer.error.stack} ${answer.error.message}`, /node:|\/host\/|\.ts:\d/)
  }
  const { kinds, value } = attack.expected
  const isOfKind = !answer.ok && (kinds ?? []).includes(answer.error.kind)
  if (value !== undefined && !isOfKind) assert.equal(answer.ok ? jsonOf(answer) : JSON.stringify(answer.error), value)
  else if (kinds) assert.ok(isOfKind, JSON.stringify(answer).slice(0, 300))
  return answer
}

export const startArena = (): Promise<Sandbox> => startSandbox({}, { runners: 0, spares: 1 })
