import { account, notification, testRefusals } from '../support/manifest.ts'

testRefusals([
  [
    "a notification of another app's",
    { notifications: [{ ...notification, key: 'library.loan.due' }] },
    'notifications[0].key',
    'key_prefix',
  ],
  [
    'a notification key of two parts',
    { notifications: [{ ...notification, key: 'clubs.moved' }] },
    'notifications[0].key',
  ],
  [
    'a notification key with capitals',
    { notifications: [{ ...notification, key: 'clubs.Meeting.moved' }] },
    'notifications[0].key',
  ],
  [
    'a notification in one language',
    { notifications: [{ ...notification, display_name: { en: 'Moved' } }] },
    'notifications[0].display_name.ar',
  ],
  [
    'a notification channel nobody knows',
    { notifications: [{ ...notification, default_channels: ['fax'] }] },
    'notifications[0].default_channels[0]',
  ],
  ['a severity nobody knows', { notifications: [{ ...notification, severity: 'fatal' }] }, 'notifications[0].severity'],
  [
    'two notifications of one key',
    { notifications: [notification, notification] },
    'notifications[1]',
    'manifest-duplicate',
  ],
  ['an audience of roles and portal', { account_types: [{ ...account, portal: 'student' }] }, 'account_types[0].roles'],
  ['an audience of nobody', { account_types: [{ ...account, roles: undefined }] }, 'account_types[0].roles'],
  [
    'an audience without a surface',
    { account_types: [{ ...account, web_route: undefined }] },
    'account_types[0].web_route',
  ],
  [
    'an audience whose only surface is blank',
    { account_types: [{ key: 'p', kind: 'primary', portal: 'student', mobile_entry: '' }] },
    'account_types[0].mobile_entry',
  ],
  [
    'an address as a route name',
    { account_types: [{ ...account, web_route: '/clubs' }] },
    'account_types[0].web_route',
  ],
  [
    'custom keys for a portal',
    { account_types: [{ key: 'p', kind: 'primary', portal: 'guardian', mobile_entry: 'x', custom: true }] },
    'account_types[0].custom',
  ],
])
