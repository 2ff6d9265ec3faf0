import { ServiceError } from '../../partner-services/service/errors.ts'

/** What a guest hands to a call, which are its own words. Throws `bad_request` where they are no JSON. */
export function readArguments(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new ServiceError('bad_request')
  }
}
