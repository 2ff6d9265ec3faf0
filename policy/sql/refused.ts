/**
 * A refusal inside the guard: the rule's stable id, a reason a partner can act on, and the byte it is about. No Error:
 * it never leaves the guard, and a stack trace would cost a refusal more than the parse of its text.
 */
export class Refused {
  readonly rule: string
  readonly reason: string
  readonly location: number | undefined
  /** What to write instead. */
  readonly mend: string | undefined

  constructor(rule: string, reason: string, location?: number, mend?: string) {
    this.rule = rule
    this.reason = reason
    this.location = location
    this.mend = mend
  }
}

export function refuse(rule: string, reason: string, location?: number, mend?: string): never {
  throw new Refused(rule, reason, location, mend)
}
