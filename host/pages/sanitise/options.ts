import type { IOptions } from 'sanitize-html'
import { formTokenField } from '../../sessions/form-token.ts'
import { moduleClasses } from '../classes.ts'
import { basePath, formAddress, imageAddress, linkAddress, type Place } from './addresses.ts'
import { describeRemoved, type OnRemoved } from './removed-address.ts'

const text =
  'a abbr address b bdi bdo blockquote br caption cite code data dd del dfn div dl dt em figcaption figure footer h1 h2 h3 h4 h5 h6'
const more =
  'header hr i img ins kbd li main mark nav ol p pre q s samp section small span strong sub sup time u ul var wbr details summary'
const tables = 'table thead tbody tfoot tr th td col colgroup'
const forms = 'form fieldset legend label input select option optgroup textarea button output progress meter'

const inputTypes = new Set(
  'text search number date time datetime-local month week email tel url checkbox radio hidden submit reset range color'.split(
    ' ',
  ),
)

const direction = ['dir', 'lang', 'title', 'class', 'aria-label', 'aria-hidden', 'aria-current']
// No `autocomplete`: the browser fills in what it keeps for the school's own sign-in, a password included.
const fields = ['name', 'value', 'required', 'disabled', 'readonly', 'placeholder', 'inputmode']

/** The allow-list of a module's page at `/m/<slug>`. What is not named here is removed. Source: decisions.md, pages and origins. */
export function sanitiseOptions(place: Place, onRemoved: OnRemoved): IOptions & { allowedEmptyAttributes: string[] } {
  const addressIn = (attributes: Attributes, name: string, judge: typeof linkAddress): string | null => {
    const address = judge(attributes[name], place)
    const removed = address === null ? describeRemoved(name, attributes[name], place) : null
    if (removed !== null) onRemoved(removed)
    return address
  }
  return {
    allowedTags: [text, more, tables, forms].join(' ').split(' '),
    disallowedTagsMode: 'discard',
    nonTextTags: [
      'script',
      'style',
      'noscript',
      'template',
      'iframe',
      'object',
      'embed',
      'svg',
      'math',
      'title',
      'noembed',
      'noframes',
      'xmp',
      'plaintext',
    ],
    allowedAttributes: {
      '*': direction,
      a: ['href', 'rel'],
      img: ['src', 'alt', 'width', 'height'],
      time: ['datetime'],
      data: ['value'],
      th: ['colspan', 'rowspan', 'scope'],
      td: ['colspan', 'rowspan'],
      col: ['span'],
      ol: ['start', 'reversed'],
      details: ['open'],
      form: ['method', 'action'],
      input: ['type', 'checked', 'min', 'max', 'step', 'minlength', 'maxlength', 'pattern', 'size', ...fields],
      select: ['multiple', 'size', ...fields],
      option: ['value', 'selected', 'disabled', 'label'],
      optgroup: ['label', 'disabled'],
      textarea: ['rows', 'cols', 'minlength', 'maxlength', ...fields],
      button: ['type', 'name', 'value', 'disabled'],
      progress: ['value', 'max'],
      meter: ['value', 'min', 'max', 'low', 'high', 'optimum'],
    },
    // A choice or a button without its value sends its text, or `on`.
    allowedEmptyAttributes: ['alt', 'value'],
    allowedClasses: { '*': [...moduleClasses] },
    allowedSchemes: ['http', 'https', 'mailto', 'tel', 'data'],
    allowedSchemesByTag: { img: ['data'] },
    allowProtocolRelative: false,
    enforceHtmlBoundary: false,
    transformTags: {
      a: (tagName, attributes) => ({
        tagName,
        attribs: withAddress(attributes, 'href', addressIn(attributes, 'href', linkAddress), {
          rel: 'noopener noreferrer nofollow',
        }),
      }),
      img: (tagName, attributes) => ({
        tagName,
        attribs: withAddress(attributes, 'src', addressIn(attributes, 'src', imageAddress)),
      }),
      form: (tagName, attributes) => ({
        tagName,
        attribs: {
          ...withoutAddress(attributes, 'action'),
          method: attributes.method?.trim().toLowerCase() === 'post' ? 'post' : 'get',
          // A form leads below the module's own path, whatever it says.
          action: addressIn(attributes, 'action', formAddress) ?? basePath(place),
        },
      }),
      input: (tagName, attributes) => {
        const type = attributes.type?.trim().toLowerCase() ?? 'text'
        return { tagName, attribs: { ...attributes, type: inputTypes.has(type) ? type : 'text' } }
      },
    },
    // A field of ours is added by the host alone.
    exclusiveFilter: ({ attribs }) => attribs.name === formTokenField,
  }
}

type Attributes = Record<string, string>

function withoutAddress(attributes: Attributes, name: string): Attributes {
  const { [name]: _, ...rest } = attributes
  return rest
}

function withAddress(attributes: Attributes, name: string, address: string | null, also: Attributes = {}): Attributes {
  const rest = withoutAddress(attributes, name)
  return address === null ? rest : { ...rest, ...also, [name]: address }
}
