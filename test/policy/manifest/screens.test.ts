import { type Refusal, testRefusals } from '../support/manifest.ts'

const actionTo = (url: string) => ({ studentProfile: [{ kind: 'action', label: 'x', permission: 'a.b.c', url }] })

testRefusals([
  ['a mobile entry outside mobile/', { mobile: { mode: 'embedded', entry: 'src/index.html' } }, 'mobile.entry'],
  ['a mobile entry that climbs', { mobile: { mode: 'embedded', entry: 'mobile/../src/x.html' } }, 'mobile.entry'],
  [
    'the role claim of an embedded screen',
    { mobile: { mode: 'embedded', entry: 'mobile/a.html', pass_role_claim: true } },
    'mobile.pass_role_claim',
  ],
  [
    'a contribution without a permission',
    { studentProfile: [{ kind: 'panel', title: 'x' }] },
    'studentProfile[0].permission',
  ],
  [
    'an action that does nothing',
    { studentProfile: [{ kind: 'action', label: 'x', permission: 'a.b.c' }] },
    'studentProfile[0].url',
  ],
  [
    'params without an event',
    { studentProfile: [{ kind: 'action', label: 'x', permission: 'a.b.c', url: 'x', params: {} }] },
    'studentProfile[0].params',
  ],
  ['an action that leads away', actionTo('javascript:x'), 'studentProfile[0].url'],
  ...[
    'java\tscript:x',
    '\u0001javascript:x',
    '\\\\elsewhere.example',
    '/\\elsewhere.example',
    '/\t/elsewhere.example',
  ].map(
    (url): Refusal => [
      `an action that browsers read as one that leads away: ${JSON.stringify(url)}`,
      actionTo(url),
      'studentProfile[0].url',
    ],
  ),
])
