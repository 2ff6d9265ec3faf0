/**
 * The classes that a module's page may use; every other is removed, so that no module can look like the platform's own
 * controls, whose classes begin with `host-`.
 */
export const moduleClasses = [
  'page',
  'card',
  'grid',
  'stack',
  'row',
  'table',
  'form',
  'field',
  'button',
  'button-secondary',
  'button-danger',
  'notice',
  'notice-success',
  'notice-warning',
  'notice-danger',
  'badge',
  'badge-success',
  'badge-warning',
  'badge-danger',
  'muted',
  'number',
  'actions',
  'toolbar',
  'empty',
  'stat',
] as const
