import type { Context } from './context.ts'
import type { Html } from './html.ts'

export type Labels = { ar: string; en: string }

type Contribution = {
  /** A permission of the viewer, `<feature>.<resource>.<action>`: who lacks it does not see the contribution. */
  permission: string
  /** Lower comes first; 100 unless given. */
  order?: number
  icon?: string
}

/** A student's page asked for this. `studentHashid` stands for that student, within this call only. */
export type StudentContext = Context & { studentHashid: string }

export type PanelOptions = Contribution & {
  title: Labels
  zone?: 'Main' | 'Sidebar'
  description?: Labels
  render(context: StudentContext): Promise<Html> | Html
}

export type StatOptions = Contribution & {
  label: Labels
  color?: string
  value(context: StudentContext): Promise<string | number> | string | number
}

export type ActionOptions = Contribution & {
  label: Labels
  variant?: string
} & (
    | { url: string }
    | { event: string; params?: Record<string, unknown>; run(context: StudentContext): Promise<unknown> | unknown }
  )

export type Panel = PanelOptions & { kind: 'panel' }
export type Stat = StatOptions & { kind: 'stat' }
export type Action = ActionOptions & { kind: 'action' }
export type StudentContribution = Panel | Stat | Action

/** A block on the student's page. */
export function panel(options: PanelOptions): Panel {
  return { ...options, kind: 'panel' }
}

/** One figure on the student's page. */
export function stat(options: StatOptions): Stat {
  return { ...options, kind: 'stat' }
}

/** A button on the student's page: it opens `url`, or runs `run`. */
export function action(options: ActionOptions): Action {
  return { ...options, kind: 'action' }
}
