import type { JsonSchema } from './json-schema.ts'

/** How a receiver knows a webhook, and what it is to answer. Source: specification, webhook delivery. */
export const webhookRule = `A webhook is signed: \`X-Platform-Signature\` is the hex HMAC-SHA256 over \`<timestamp>.<raw body>\`, with the app's webhook secret as key and the timestamp of \`X-Platform-Timestamp\`. Compare in constant time, over the body as it came; answer 401 where it differs, or where the timestamp is more than 5 minutes away. Answer 2xx within 10 seconds. What is not is sent again after 30 seconds, 2 minutes, 10 minutes, 1 hour and 6 hours: under the same delivery id and with the same body, signed anew. Remember for at least 15 minutes what was handled.`

const header = (name: string, description: string, schema: JsonSchema) => ({
  [name]: { name, in: 'header', required: true, description, schema },
})

/** By their names, as components of the description. */
export const webhookParameters: JsonSchema = {
  ...header('X-Platform-Event', "The event's name, as in the body", { type: 'string' }),
  ...header('X-Platform-Delivery-Id', 'The same at every retry and replay', { type: 'string', format: 'uuid' }),
  ...header('X-Platform-Timestamp', 'When it was signed, in seconds since 1970', { type: 'string', pattern: '^\\d+$' }),
  ...header('X-Platform-Signature', 'The hex HMAC-SHA256 over `<timestamp>.<raw body>`', {
    type: 'string',
    pattern: '^[0-9a-f]{64}$',
  }),
}

export const webhookParameterReferences = Object.keys(webhookParameters).map((name) => ({
  $ref: `#/components/parameters/${name}`,
}))
