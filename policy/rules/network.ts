import { asksForKind, globalUses, onlyAsks } from './support/globals.ts'
import { fileKindOf, type LintRule } from './support/lint-rule.ts'

export const forbidden = new Set([
  'fetch',
  'XMLHttpRequest',
  'WebSocket',
  'EventSource',
  'RTCPeerConnection',
  'WebTransport',
  'BroadcastChannel',
])
const paths = new Set(['navigator.sendBeacon'])

/** The only way out is the context's `fetch`, to hosts the manifest declares under `egress`. */
export const network: LintRule = {
  files: ['own', 'dependency'],
  create(context) {
    return {
      Program() {
        const uses = globalUses(context)
        const dependency = fileKindOf(context) === 'dependency'
        const guarded = new Set(dependency ? uses.filter(asksForKind).map((use) => use.path) : [])
        for (const use of uses) {
          const root = use.path.split('.')[0] ?? use.path
          if (!forbidden.has(root) && !paths.has(use.path)) continue
          if (onlyAsks(use) || guarded.has(root)) continue
          const mend = dependency
            ? 'Use a library that takes the request function as an argument, or none.'
            : 'Take `fetch` from the context, and declare the host under `egress` in the manifest.'
          context.report({
            node: use.node,
            message: `\`${use.path}\` opens a connection the school has not consented to. ${mend}`,
          })
        }
      },
    }
  },
}
