import type { Command } from 'commander'

type Verb = (name: string, description: string) => Command

/** Verbs that ask a running host. */
const remoteUnder =
  (group: Command): Verb =>
  (name, description) =>
    group
      .command(name)
      .description(description)
      .option('--url <url>', 'the host', 'http://127.0.0.1:4400')
      .option('--json', 'machine-readable output')

/** One file a verb, loaded when it is called: the command line starts quickly. */
export function registerCommands(program: Command): void {
  const verb = (name: string, description: string) => program.command(name).description(description)
  const remote = remoteUnder(program)

  verb('start', 'start the platform on this machine')
    .option('--print-config', 'show the settings and exit')
    .option('--no-samples', 'do not publish the sample modules')
    .option('--json', 'the ready line as JSON')
    .action(async (options) => (await import('./start.ts')).start(options))
  remote('sandbox', 'sign-ins and tokens of the sandbox tenants').action(async (options) =>
    (await import('./sandbox.ts')).sandbox(options),
  )
  remote('publish <dir>', 'check, bundle and submit a module')
    .option('--approve', 'review and publish at once (embedded database only)')
    .option('--draft', 'leave it open for editing')
    .action(async (dir, options) => (await import('./publish.ts')).publish(dir, options))
  remote('install <slug>', 'install an app at a school')
    .requiredOption('--tenant <id>')
    .option('--scopes <keys>', 'approve these scopes, separated by commas')
    .option('--yes', 'approve without asking')
    .action(async (slug, options) => (await import('./install.ts')).install(slug, options))
  remote('uninstall <slug>', 'uninstall an app from a school')
    .requiredOption('--tenant <id>')
    .action(async (slug, options) => (await import('./install.ts')).uninstall(slug, options))
  remote('invoke <slug> [target]', 'call a path or a tool of a module')
    .option('--tenant <id>')
    .option('--as <user>', "user name; the school's administrator unless given")
    .option('--data <json>')
    .action(async (slug, target, options) => (await import('./invoke.ts')).invoke(slug, target, options))
  remote('logs <slug>', "a module's log by invocation")
    .option('--follow', 'wait for more')
    .action(async (slug, options) => (await import('./logs.ts')).logs(slug, options))
  remote('lift <slug>', 'let an app run again that was stopped after failures')
    .option('--tenant <id>', 'at one school; everywhere unless given')
    .action(async (slug, options) => (await import('./lift.ts')).lift(slug, options))
  remote('limits <slug>', 'what a request of one app may use: shows each limit, or sets some for this app alone')
    .option('--set <name=value>', 'cpuMs=2000, or cpuMs=default to put it back; as often as needed', gather)
    .option('--reset', 'put all of them back')
    .action(async (slug, options) => (await import('./limits.ts')).limits(slug, options))
  registerHosts(program)
  remoteUnder(program.command('contacts').description('what anybody sent to the contacts endpoint'))(
    'export',
    'all that is kept of it, a line of JSON each',
  ).action(async (options) => (await import('./contacts.ts')).exportAll(options))
  remote('import-school <dir>', 'import OneRoster 1.1 CSV files into a school, 29.9 MB at most')
    .requiredOption('--tenant <id>')
    .option('--org <sourcedId>', 'the one to take of an export of several schools; all: take them as one school')
    .action(async (dir, options) => (await import('./import-school.ts')).importSchool(dir, options))
  registerLifecycle(program, verb, remote)
  verb('test-host <dir>', "a host of its own for one module's tests")
    .option('--json', 'what it prints in any case')
    .action(async (dir) => (await import('./test-host.ts')).testHost(dir))
  const token = program.command('token').description('installation tokens')
  remoteUnder(token)('rotate <slug>', 'a new token; the old one stays valid for 15 minutes')
    .requiredOption('--tenant <id>')
    .option('--revoke', 'the old one ends at once: for one that leaked')
    .action(async (slug, options) => (await import('./token.ts')).rotate(slug, options))
  registerExternal(program)
}

function registerHosts(program: Command): void {
  const hosts = program.command('hosts').description('the host names that schools have of their own')
  const one = remoteUnder(hosts)
  one('list', 'every one, or those of one school')
    .option('--tenant <id>')
    .action(async (options) => (await import('./hosts.ts')).list(options))
  one('add <host>', 'give one to a school; it leads here by DNS')
    .requiredOption('--tenant <id>')
    .action(async (host, options) => (await import('./hosts.ts')).add(host, options))
  one('remove <host>', 'take it away from its school').action(async (host, options) =>
    (await import('./hosts.ts')).remove(host, options),
  )
}

/** What an app that is hosted elsewhere has besides its versions. */
function registerExternal(program: Command): void {
  remoteUnder(program)(
    'credentials <slug>',
    "an external app's client id and secrets, new; the old secrets end",
  ).action(async (slug, options) => (await import('./credentials.ts')).credentials(slug, options))
  const deliveries = program.command('deliveries').description("an external app's webhook deliveries")
  const webhook = program.command('webhook').description("an external app's webhook")
  const forApp = (parent: Command, name: string, description: string) =>
    remoteUnder(parent)(name, description).requiredOption('--app <slug>')
  forApp(deliveries, 'list', 'newest first')
    .option('--state <state>', 'pending, delivering, delivered, retrying or terminal')
    .option('--page <number>', 'from 1, the newest')
    .option('--per-page <number>', '1 to 100; 20 unless given')
    .action(async (options) => (await import('./deliveries.ts')).list(options))
  forApp(deliveries, 'show <id>', 'one delivery with its attempts; student data masked').action(async (id, options) =>
    (await import('./deliveries.ts')).show(id, options),
  )
  forApp(deliveries, 'replay <id...>', 'send past deliveries again, with the same id').action(async (ids, options) =>
    (await import('./deliveries.ts')).replay(ids, options),
  )
  forApp(deliveries, 'recover', 'send everything again that did not arrive')
    .requiredOption('--since <moment>', 'in UTC, 2026-11-21T08:00:00Z')
    .action(async (options) => (await import('./deliveries.ts')).recover(options))
  forApp(webhook, 'show', 'where events go, since when that fails or is paused').action(async (options) =>
    (await import('./webhook.ts')).show(options),
  )
  forApp(webhook, 'resume', 'end the pause after five days of failures: what waited is sent').action(async (options) =>
    (await import('./webhook.ts')).resume(options),
  )
  forApp(webhook, 'test', 'send an event with invented data')
    .option('--event <name>')
    .action(async (options) => (await import('./webhook.ts')).test(options))
}

const gather = (value: string, before: string[] = []): string[] => [...before, value]

/** From a folder to a published version and back. */
function registerLifecycle(program: Command, verb: Verb, remote: Verb): void {
  verb('new <slug>', "a module's folder that scans clean")
    .option('--type <type>', 'embedded, external, notification or payment', 'embedded')
    .option('--json', 'machine-readable output')
    .action(async (slug, options) => (await import('./new.ts')).newModule(slug, options))
  remote('dev <dir>', 'put a module into the sandbox at each save').action(async (dir, options) =>
    (await import('./dev.ts')).dev(dir, options),
  )
  verb('scan <dir>', 'the policy scan of a module')
    .option('--format <format>', 'text, json or sarif')
    .option('--changed <revision>', 'only what changed since this git revision')
    .option('--json', 'the same as --format json')
    .action(async (dir, options) => (await import('./scan.ts')).scan(dir, options))
  verb('sql-check <files...>', "the SQL guard's verdict; - is standard input")
    .option('--profile <profile>', 'migration or runtime', 'migration')
    .option('--schema <schema>', 'as the texts name it', 'm_x')
    .option('--json', 'machine-readable output')
    .action(async (files, options) => (await import('./sql-check.ts')).checkTexts(files, options))
  remote('rollback <slug> [version]', 'put the version before in place, code only')
    .addHelpText('after', 'With a version, that one is taken back or none: safe to repeat after a lost answer.')
    .action(async (slug, version, options) => (await import('./rollback.ts')).rollback(slug, version, options))
  remote('login', "keep a partner's key for a host")
    .option('--partners-path <path>', 'where the host has its portal', '/partners')
    .action(async (options) => (await import('./partners.ts')).login(options))
  const migrations = program.command('migrations').description("a module's migrations")
  migrations
    .command('check <dir>')
    .description('what an import would do')
    .option('--json', 'machine-readable output')
    .action(async (dir, options) => (await import('./migrations.ts')).check(dir, options))
  remoteUnder(migrations)('status <slug>', 'what is applied').action(async (slug, options) =>
    (await import('./migrations.ts')).status(slug, options),
  )
  const partner = remoteUnder(program.command('partners').description('partner accounts'))
  partner('add <name>', 'a partner and their key').action(async (name, options) =>
    (await import('./partners.ts')).add(name, options),
  )
  partner('key <id>', 'another key of a partner; those before stay valid')
    .option('--revoke', 'those before end at once: for one that leaked')
    .action(async (id, options) => (await import('./partners.ts')).key(id, options))
  partner('revoke <id>', 'every key of a partner ends at once').action(async (id, options) =>
    (await import('./partners.ts')).revoke(id, options),
  )
  const version = remoteUnder(program.command('version').description('a version on its way'))
  version('show <slug> <version>', 'state, report and comments').action(async (slug, name, options) =>
    (await import('./version.ts')).show(slug, name, options),
  )
  for (const [name, description] of Object.entries(versionSteps)) {
    version(`${name} <slug> <version>`, description)
      .option('--comment <text>')
      .action(async (slug, of, options) =>
        (await import('./version.ts')).step(name === 'comment' ? 'comments' : name, slug, of, options),
      )
  }
  version('delete <slug> <version>', 'delete a draft').action(async (slug, name, options) =>
    (await import('./version.ts')).removeDraft(slug, name, options),
  )
}

const versionSteps = {
  submit: 'lock a draft and hand it to the reviewers',
  'start-review': 'run every check again and begin the review',
  comment: 'say something about it',
  approve: 'let it be published',
  reject: 'give it back with a comment',
  reopen: 'make a rejected version a draft again',
  publish: 'migrate, sign, and give it to the schools',
}
