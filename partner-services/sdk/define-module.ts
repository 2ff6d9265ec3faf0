import type { Answer } from './answers.ts'
import type { Context, RouteContext } from './context.ts'
import type { StudentContribution } from './contributions.ts'
import type { LandingWidget } from './landing-widget.ts'
import type { NotificationProvider, PaymentProvider } from './providers.ts'
import type { Tool } from './tool.ts'

/** What a page's links and forms send; the host passes on no other. */
export type Method = 'GET' | 'POST'

/** Answers one request: a page, JSON, a redirect, `notFound()`, or any plain value, which is sent as JSON. */
export type RouteHandler = (context: RouteContext) => Promise<Answer | unknown> | Answer | unknown

/** A change in the school's data, as the webhook of the same name shows it. */
export type DomainEvent = { name: string; data: Record<string, unknown> }

export type EventHandler = (context: Context & { event: DomainEvent }) => Promise<unknown> | unknown

/** The key of a widget's class. `never` lets a class of any settings in; each widget knows its own. */
export type WidgetClass = new () => LandingWidget<never>

/**
 * A host of this version calls `routes`, and `tools` where `partner invoke` names one. The rest is checked and published with
 * the module, and no host calls it yet: `studentProfile`, `widgets`, `events`, `notificationProvider`, `paymentProvider`.
 */
export type ModuleDefinition = {
  /** By method and path, served under `/m/<slug>`: `'GET /loans/:id'`. A fixed part is preferred to a `:name`. */
  routes?: { [route: `${Method} /${string}`]: RouteHandler }
  /** Panels, figures and buttons on a student's page, by key. */
  studentProfile?: Record<string, StudentContribution>
  /** Blocks of the school's public page, by the key that the manifest declares. */
  widgets?: Record<string, WidgetClass>
  /** What the school's assistant may call. */
  tools?: Tool[]
  /** By name of the event: `'education.students.created'`. */
  events?: Record<string, EventHandler>
  notificationProvider?: NotificationProvider
  paymentProvider?: PaymentProvider
}

const marks = new WeakSet<object>()

/** Declares the module: the default export of `src/index.ts`. */
export function defineModule(definition: ModuleDefinition): ModuleDefinition {
  marks.add(definition)
  return definition
}

/** True for what `defineModule` returned. */
export function isModuleDefinition(value: unknown): value is ModuleDefinition {
  return typeof value === 'object' && value !== null && marks.has(value)
}
