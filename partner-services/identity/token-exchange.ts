import { z } from 'zod'
import { ulid } from '../service/schemas.ts'

/** What an app sends for its installation token. Source: decisions.md, tokens; RFC 6749, 4.1.3 and 2.3.1. */
export const tokenRequest = z.object({
  grant_type: z.literal('authorization_code'),
  code: z
    .string()
    .meta({ description: 'Single use, ten minutes', example: 'kZ3v7Q8r2M4t6W8y0A1b2C3d4E5f6G7h8J9k0L1m2N3' }),
  redirect_uri: z.string().optional().meta({
    description: 'As consent was asked for with it, or left out',
    example: 'https://registrar.example/callback',
  }),
  client_id: z
    .string()
    .optional()
    .meta({ description: 'Here or in the Basic header', example: 'app_01j9zk3v7q8r2m4t6w8y0a1b2c' }),
  client_secret: z.string().optional().meta({ description: 'Where `client_id` is', example: 'pcs_…' }),
})

export const tokenAnswer = z.object({
  access_token: z.string().meta({ description: 'The installation token', example: 'pit_live_…' }),
  token_type: z.literal('Bearer'),
  scope: z.string().meta({ description: 'The granted scopes', example: 'education.students.read' }),
  tenant_id: z.int().meta({ example: 1 }),
  installation_id: ulid,
})

/** The refusals of the exchange by status. Source: RFC 6749, 5.2. */
export const tokenRefusals = {
  400: z.object({
    error: z.enum(['invalid_request', 'invalid_grant', 'unsupported_grant_type']),
    error_description: z.string().meta({ example: 'the code is not valid for this app and redirect_uri' }),
  }),
  401: z.object({
    error: z.literal('invalid_client'),
    error_description: z.string().meta({ example: 'client authentication failed' }),
  }),
}
