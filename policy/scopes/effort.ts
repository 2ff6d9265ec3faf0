/**
 * What following the values of a module has taken, of what it may take. It is counted and not timed, so that the verdict is
 * the same on every machine; and for the module as a whole, since all its files are in memory until the last is done.
 */
export type Effort = { left: number; readonly files: FileEffort[] }
export type FileEffort = { readonly file: string; readonly whole: Effort; steps: number }

/** Following has come to no end; `file` has taken the most. */
export class TooManySteps extends Error {
  readonly file: string
  constructor(file: string) {
    super(`the values of this module are not followed in as many steps as it may take, most of them of ${file}`)
    this.file = file
  }
}

export function effortOf(whole: Effort, file: string): FileEffort {
  const effort = { file, whole, steps: 0 }
  whole.files.push(effort)
  return effort
}

export function spend(effort: FileEffort, steps: number): void {
  effort.steps += steps
  effort.whole.left -= steps
  if (effort.whole.left >= 0) return
  const [most = effort] = effort.whole.files.toSorted((a, b) => b.steps - a.steps)
  throw new TooManySteps(most.file)
}
