import type { Finding, ScanReport } from '../../finding.ts'
import { isRule, rules } from '../../rules/index.ts'

const schema = 'https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json'

/** For code-scanning viewers: SARIF 2.1.0, with the rules that were found and where their pages are. */
export function formatSarif(report: ScanReport): string {
  const ids = [...new Set(report.findings.map((finding) => finding.rule))].sort()
  const driver = { name: 'partner-scan', semanticVersion: '0.1.0', rules: ids.map(describe) }
  const run = {
    tool: { driver },
    columnKind: 'utf16CodeUnits',
    results: report.findings.map((finding) => result(finding, ids.indexOf(finding.rule))),
  }
  return `${JSON.stringify({ $schema: schema, version: '2.1.0', runs: [run] }, null, 2)}\n`
}

function describe(id: string) {
  const entry = isRule(id) ? rules[id] : undefined
  return {
    id,
    name: id,
    shortDescription: { text: entry?.summary ?? id },
    help: { text: `See policy/rules/docs/${id}.md`, markdown: `See \`policy/rules/docs/${id}.md\`` },
    defaultConfiguration: { level: entry?.severity ?? 'error' },
  }
}

function result(finding: Finding, ruleIndex: number) {
  const uri = finding.file.split('/').map(encodeURIComponent).join('/')
  const region = { startLine: Math.max(1, finding.line), startColumn: Math.max(1, finding.column) }
  return {
    ruleId: finding.rule,
    ruleIndex,
    level: finding.severity,
    message: { text: finding.fix ? `${finding.message} ${finding.fix}` : finding.message },
    locations: [{ physicalLocation: { artifactLocation: { uri }, region } }],
  }
}
