import type { Platform } from './context.ts'
import { escapeNode, escapeValue } from './escapes.ts'
import { callFlags } from './facts.ts'
import { invoke } from './invoke.ts'
import { copyFields } from './spread.ts'
import { add, capability, fieldNode, flow, listen, type Place, report, type Solver } from './solver.ts'
import { anyField, type Value } from './values.ts'

/** Writing a value under a name (undefined: one made at run time). */
export function store(
  solver: Solver,
  platform: Platform,
  target: Value,
  name: string | undefined,
  from: number,
  place: Place,
): void {
  if (target.kind === 'object' && name === '__proto__') {
    copyFields(solver, from, target, place)
  } else if (target.kind === 'object') {
    flow(solver, from, fieldNode(solver, target, name ?? anyField))
    if (target.lasting) listen(solver, from, (value) => reportLasting(solver, value, place))
  } else if (target.kind === 'class') flow(solver, from, fieldNode(solver, target.statics, name ?? anyField))
  else {
    listen(solver, from, (value) =>
      escapeValue(solver, platform, value, {
        to: 'unknown',
        place,
        why: 'it is put into something the scan cannot follow',
      }),
    )
  }
}

export function reportLasting(solver: Solver, value: Value, place: Place): void {
  if (value.kind !== 'capability' || !value.path.startsWith('ctx')) return
  const message =
    'This outlives the call: several calls run at once, and another one would act with the authority of this.'
  report(solver, {
    rule: 'context-stored',
    place,
    message,
    fix: 'Pass the context, or what you need of it, as an argument.',
  })
}

export function reportComparison(solver: Solver, value: Value, place: Place): void {
  if (value.kind !== 'ulid' && value.kind !== 'hashid') return
  const message = 'An identifier is a text of 26 characters: compared as a number it says nothing.'
  report(solver, {
    rule: 'ulid-numeric-comparison',
    place,
    message,
    fix: 'Compare with `===`; to sort, use `localeCompare` or the database.',
  })
}

/** Tags of the SDK bind and escape their values; a tag of the module is a function like others. */
export function applyTag(
  solver: Solver,
  platform: Platform,
  tag: Value,
  callee: number,
  result: number,
  place: Place,
  args: readonly number[],
): void {
  if (tag.kind !== 'capability') {
    invoke(
      solver,
      platform,
      { callee, receiver: 0, result, place, flags: callFlags.spread, text: undefined, args: [0, ...args] },
      tag,
    )
    return
  }
  for (const argument of args) {
    escapeNode(solver, argument, { to: 'host', place, why: 'it is put into a template' })
    if (tag.path === 'sdk.sql')
      listen(solver, argument, (value) => value.kind === 'hashid' && reportKept(solver, place))
  }
  add(solver, result, capability(solver, 'sdk.text'))
}

function reportKept(solver: Solver, place: Place): void {
  const message = 'A studentHashid is valid within this call only: kept in a table it means nothing tomorrow.'
  report(solver, {
    rule: 'student-hashid-misuse',
    place,
    message,
    fix: 'Store the `id` that `services.education.students.byHashid` answers.',
  })
}
