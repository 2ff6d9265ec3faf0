export { type Answer, json, notFound, redirect, withStatus } from './answers.ts'
export type {
  Context,
  Database,
  FetchOptions,
  FetchResponse,
  Fields,
  Locale,
  Log,
  ModuleRequest,
  Queries,
  RouteContext,
  Viewer,
} from './context.ts'
export { action, type Labels, panel, type StudentContext, stat } from './contributions.ts'
export {
  type DomainEvent,
  defineModule,
  type EventHandler,
  type ModuleDefinition,
  type RouteHandler,
} from './define-module.ts'
export {
  type DatabaseErrorCode,
  DatabaseException,
  InvalidInputException,
  MissingScopeException,
  NotFoundException,
  ServiceException,
} from './errors.ts'
export type * from './generated/services.ts'
export { Html, html } from './html.ts'
export { LandingWidget, type WidgetActionContext, type WidgetContext } from './landing-widget.ts'
export { newId } from './new-id.ts'
export type {
  Charge,
  ChargeResult,
  NotificationPayload,
  NotificationProvider,
  PaymentProvider,
  Refund,
  SendResult,
} from './providers.ts'
export { type Sql, sql } from './sql.ts'
export { type Tool, tool } from './tool.ts'
