import { newId } from '@partner/sdk'

/** The id that a form was served with, so that a form which is sent twice makes one record; a new one where it names none. */
export const formId = (given: string | undefined): string =>
  /^[0-9A-HJKMNP-TV-Z]{26}$/.test(given ?? '') ? given! : newId()
