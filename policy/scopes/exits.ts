import type { Platform } from './context.ts'
import { shown } from './loads.ts'
import { type Place, type Problem, report, type Solver } from './solver.ts'
import type { Value } from './values.ts'

/**
 * Where a value goes when it leaves the module's own code.
 * `unknown` — code that may do anything with it; `library` — the language's own functions, which plant nothing;
 * `host` — an answer or an argument of the platform; `handler` — a declaration whose functions the platform will call;
 * `operation` — an argument of a service operation.
 */
export type ExitKind = 'unknown' | 'library' | 'host' | 'handler' | 'operation'

/** The place where a value leaves, or the value inside of which it does: then what is not said here is as there. */
export type Exit = {
  readonly to: ExitKind
  readonly place?: Place
  readonly why?: string
  readonly field?: string
  readonly inside?: Escape
}
type Known = { readonly place: Place; readonly why: string; readonly field: string | undefined }

/** One value on its way out; an argument of an operation at each call by itself. */
export type Escape = {
  readonly to: ExitKind
  readonly at: Place | undefined
  readonly exits: Exit[]
  /** Once all is known, the exit that is reported: the first in the order of the files. */
  known: Known | undefined
}

/** Something of which is to be said that it leaves. */
export type Claim = { readonly value: Value; readonly exit: Exit }

/** The leaving of a value by an exit, and whether it is the first by one of this kind. */
export function enterEscape(solver: Solver, value: Value, exit: Exit): { leaving: Escape; fresh: boolean } {
  const at = exit.to === 'operation' ? (exit.place ?? exit.inside?.at) : undefined
  const key = at ? `${at.file} ${at.at}` : exit.to
  const alike = solver.escapes.get(key) ?? new Map<Value, Escape>()
  if (alike.size === 0) solver.escapes.set(key, alike)
  const known = alike.get(value)
  known?.exits.push(exit)
  const leaving = known ?? { to: exit.to, at, exits: [exit], known: undefined }
  if (!known) alike.set(value, leaving)
  return { leaving, fresh: !known }
}

/** The exit of what is inside a value that leaves. */
export function onward(inside: Escape, changed: Pick<Partial<Exit>, 'to' | 'why' | 'field'>): Exit {
  return { to: inside.to, inside, ...changed }
}

/** Whether anything is to be said when this part of the platform leaves. */
export function isReported(platform: Platform, path: string, exit: Exit): boolean {
  if (path.startsWith('maybe.') || path === 'ctx.publish') return false
  if (path.startsWith('sdk')) return path === 'sdk.sql' && exit.to !== 'handler'
  return path !== 'ctx.fetch' || platform.egress.size === 0
}

/** Reports what left, each at the one of its exits that comes first, whatever order the values were followed in. */
export function reportClaims(solver: Solver): void {
  const claims = solver.claims.splice(0)
  if (claims.length === 0) return
  findFirst([...solver.escapes.values()].flatMap((alike) => [...alike.values()]))
  for (const { value, exit } of claims) {
    const known = knownOf(exit)
    const problem = known && problemOf(value, known)
    if (problem) report(solver, problem)
  }
}

/** Hands the first exit on from each value to those inside of it, until none gets an earlier one. */
function findFirst(escapes: Escape[]): void {
  const within = new Map<Escape, Escape[]>()
  for (const leaving of escapes) {
    for (const { inside } of leaving.exits) {
      const known = inside && within.get(inside)
      if (known) known.push(leaving)
      else if (inside) within.set(inside, [leaving])
    }
  }
  while (escapes.length > 0) {
    const leaving = escapes.pop()
    const first = leaving && firstOf(leaving)
    if (!leaving || !first || (leaving.known && textOf(leaving.known) === textOf(first))) continue
    leaving.known = first
    escapes.push(...(within.get(leaving) ?? []))
  }
}

function firstOf(leaving: Escape): Known | undefined {
  let first: Known | undefined
  for (const exit of leaving.exits) {
    const known = knownOf(exit)
    if (known && (!first || textOf(known) < textOf(first))) first = known
  }
  return first
}

function knownOf({ place, why, field, inside }: Exit): Known | undefined {
  if (place) return { place, why: why ?? '', field }
  return (
    inside?.known && { place: inside.known.place, why: why ?? inside.known.why, field: field ?? inside.known.field }
  )
}

/** Orders exits by place; fields that none has come first, as do those an argument itself has none of. */
function textOf({ place, why, field }: Known): string {
  return `${place.file}\n${String(place.at).padStart(12, '0')}\n${why}\n${field ?? ''}`
}

function problemOf(value: Value, { place, why, field }: Known): Problem | undefined {
  switch (value.kind) {
    case 'capability':
      return problemOfCapability(value.path, place, why)
    case 'hashid':
      if (field !== 'id') return undefined
      return {
        rule: 'student-hashid-misuse',
        place,
        message: 'A studentHashid is no student id.',
        fix: 'Call `services.education.students.byHashid(studentHashid)`.',
      }
    case 'function':
      return {
        rule: 'scope-untraceable',
        place,
        message: 'A handler that takes its context through a rest parameter cannot be followed.',
        fix: 'Take the context as the first parameter.',
      }
    default:
      if (field === undefined) return undefined
      return {
        rule: 'scope-untraceable',
        place,
        message: `What stands under \`${field}\` comes from code the scan cannot follow, and would be given the context.`,
        fix: 'Write the handler as a function of this module.',
      }
  }
}

function problemOfCapability(path: string, place: Place, why: string): Problem {
  if (path === 'sdk.sql') {
    return {
      rule: 'tag-called',
      place,
      message: '`sql` given away can be called with text of somebody’s making.',
      fix: 'Use `sql` as a tag only: sql`…`.',
    }
  }
  if (path === 'ctx.fetch') {
    return {
      rule: 'egress-undeclared',
      place,
      message: 'Code that is given `fetch` connects to hosts the manifest does not declare.',
      fix: 'Declare the hosts under `egress` in manifest.json.',
    }
  }
  const what = shown(path) === 'the context' ? 'The context' : `\`${shown(path)}\``
  return {
    rule: 'context-escape',
    place,
    message: `${what} leaves the module's own code here: ${why}. What happens to it there cannot be followed.`,
    fix: 'Call the service here, and pass on what it answers.',
  }
}
