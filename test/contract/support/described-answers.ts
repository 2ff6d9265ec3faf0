import Ajv2020 from 'ajv/dist/2020.js'
import { describeApi } from '../../../partner-services/description/openapi.ts'

type Described = { responses: Record<string, { $ref?: string }> }

/** Says what is wrong with an answer by the description: an undescribed status or a body of another form; null where nothing is. */
export function createAnswerCheck() {
  const document = describeApi()
  const ajv = new Ajv2020.default({ strict: false, validateFormats: false })
  ajv.addSchema({ $id: 'api', ...document } as object)
  const validators = new Map<string, ReturnType<typeof ajv.compile>>()

  return (path: string, method: string, answer: { status: number; body: unknown }): string | null => {
    const described = document.paths[path]![method.toLowerCase()] as Described
    const response = described.responses[answer.status]
    if (!response) return `status ${answer.status} is not described`
    const place =
      response.$ref?.slice(2) ??
      `paths/${path.replaceAll('/', '~1')}/${method.toLowerCase()}/responses/${answer.status}`
    const pointer = `api#/${place}/content/application~1json/schema`
    const known = validators.get(pointer) ?? ajv.compile({ $ref: encodeURI(pointer).replaceAll('%7B', '%7B') })
    validators.set(pointer, known)
    return known(answer.body) ? null : `${ajv.errorsText(known.errors)} in ${JSON.stringify(answer.body).slice(0, 400)}`
  }
}
