import type { Context } from './context.ts'
import type { Html } from './html.ts'

export type WidgetContext<Settings> = Omit<Context, 'settings'> & {
  /** This placement's settings. */
  settings: Settings
}

export type WidgetActionContext<Settings> = WidgetContext<Settings> & {
  /** The form's fields, without what the host added. */
  input: Record<string, string | undefined>
  /**
   * Writes on behalf of a visitor who is not signed in. Null where a barrier of the host (guard, rate, captcha) refuses:
   * then nothing ran.
   */
  withPublicWrite<Result>(action: string, write: () => Promise<Result>): Promise<Result | null>
}

/** A block of the school's public page. The host renders it, and sends its forms' `data-action` to `actions`. */
export abstract class LandingWidget<Settings = Record<string, unknown>> {
  abstract render: (context: WidgetContext<Settings>) => Promise<Html> | Html
  actions: Record<string, (context: WidgetActionContext<Settings>) => Promise<unknown> | unknown> = {}
}
