import { payment, provider, reason, type Refusal, testRefusals } from '../support/manifest.ts'

testRefusals([
  ['an external block of an embedded app', { external: {} }, 'external', 'manifest-block'],
  [
    'a webhook without TLS',
    { integrationType: 'external', external: { webhookUrl: 'http://app.example.com' } },
    'external.webhookUrl',
  ],
  ...[
    'https:app.example.com',
    ' https://app.example.com',
    'https://app.example.com/a\nb',
    'https:\\\\app.example.com',
  ].map(
    (url): Refusal => [
      `an address that is absolute only to a browser: ${JSON.stringify(url)}`,
      { integrationType: 'external', external: { redirectUrls: [url] } },
      'external.redirectUrls[0]',
    ],
  ),
  [
    'an address with a password',
    { integrationType: 'external', external: { webhookUrl: 'https://a:b@app.example.com' } },
    'external.webhookUrl',
  ],
  [
    'a made-up event form',
    { integrationType: 'external', external: { webhookEvents: ['created'] } },
    'external.webhookEvents[0]',
  ],
  ['a notification block of an embedded app', { notification: provider }, 'notification', 'manifest-block'],
  ['a notification app without its block', { integrationType: 'notification' }, 'notification', 'manifest-block'],
  [
    'no channels',
    { integrationType: 'notification', notification: { ...provider, channels: [] } },
    'notification.channels',
  ],
  [
    'an unknown channel',
    { integrationType: 'notification', notification: { ...provider, channels: ['fax'] } },
    'notification.channels[0]',
  ],
  [
    'delivery by api without an address',
    { integrationType: 'notification', notification: { channels: ['sms'], delivery: 'api' } },
    'notification.api',
  ],
  [
    'hybrid delivery without a class',
    { integrationType: 'notification', notification: { ...provider, delivery: 'hybrid' } },
    'notification.embedded',
  ],
  [
    'another signing',
    { integrationType: 'notification', notification: { ...provider, api: { ...provider.api, auth: 'basic' } } },
    'notification.api.auth',
  ],
  [
    'a class that is not fully qualified',
    {
      integrationType: 'notification',
      notification: { channels: ['sms'], delivery: 'embedded', embedded: { provider_class: 'Sms' } },
    },
    'notification.embedded.provider_class',
  ],
  [
    'sending as an optional scope',
    {
      integrationType: 'notification',
      notification: provider,
      scopes: [{ key: 'notifications.providers.send', required: false, reason }],
    },
    'scopes[0].required',
    'manifest-block',
  ],
  [
    'a currency nobody has',
    { integrationType: 'payment', payment: { ...payment, currencies: ['riyal'] } },
    'payment.currencies[0]',
  ],
  [
    'a payment app without its class',
    { integrationType: 'payment', payment: { currencies: ['SAR'], delivery: 'embedded' } },
    'payment.embedded',
  ],
  [
    'an external mobile entry without TLS',
    { mobile: { mode: 'external', entry: 'http://m.example.com' } },
    'mobile.entry',
  ],
  [
    'an origin with a path',
    { mobile: { mode: 'external', entry: 'https://m.example.com', allowed_origins: ['https://m.example.com/x'] } },
    'mobile.allowed_origins[0]',
  ],
  [
    'contributions of an external app',
    { integrationType: 'external', studentProfile: [] },
    'studentProfile',
    'manifest-block',
  ],
])
