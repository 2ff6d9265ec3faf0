/** A refusal inside the guard: the rule's stable id, a reason a partner can act on, and the byte it is about. */
export class Refused extends Error {
  readonly rule: string
  readonly location: number | undefined

  constructor(rule: string, reason: string, location?: number) {
    super(reason)
    this.name = 'Refused'
    this.rule = rule
    this.location = location
  }
}

export function refuse(rule: string, reason: string, location?: number): never {
  throw new Refused(rule, reason, location)
}
