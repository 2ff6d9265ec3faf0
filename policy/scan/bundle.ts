import { existsSync } from 'node:fs'
import { builtinModules, isBuiltin } from 'node:module'
import path from 'node:path'
import type { BuildOptions, Metafile, Plugin } from 'esbuild'
import type { Finding } from '../finding.ts'
import { finding, isCode, isPackaged } from './files.ts'
import { missingExports } from './missing-exports.ts'
import { buildAsNode } from './package-scripts.ts'

/** What the bundle is made of: every file esbuild reads, npm dependencies included, relative to the module's folder. */
export type BundleFiles = {
  readonly files: readonly string[]
  /**
   * Whether anything of a file is in the bundle: of a package that allows it esbuild leaves out what nobody uses. The bundle
   * that is published holds no more, for it is made by the same options, and here the entry keeps all that it exports.
   */
  readonly holds: (file: string) => boolean
  /** Where esbuild lets an import of a file lead, by its text. */
  readonly leads: (file: string, specifier: string) => string | undefined
  /** The parts of Node by name that a file does not get from Node: a package stands for it, or nothing does. */
  readonly replaced: (file: string) => readonly string[]
  readonly findings: readonly Finding[]
}

const made = { metafile: true, write: false } as const

/**
 * How a module's files are found and merged, wherever that happens: were it to differ, a bundle would hold files that no scan
 * has read. The partner's own tsconfig could point paths elsewhere and is not looked at.
 */
export const bundling = {
  bundle: true,
  // An isolate is nearer to a browser than to Node: no modules of Node's, but `crypto`, `URL` and the language. So a package's
  // `browser` field counts, also where it says what to leave out (`"fs": false`).
  platform: 'browser',
  mainFields: ['browser', 'module', 'main'],
  conditions: ['browser', 'import'],
  // Libraries ask for these everywhere, and an isolate has neither `process` nor the global object under its older names.
  define: { 'process.env.NODE_ENV': '"production"', self: 'globalThis', global: 'globalThis' },
  // Of the pinned Node's V8, which runs the bundle.
  target: 'es2024',
  treeShaking: true,
  // What it only warns of, and not at all in packages: the parser of the scan knows no such comment.
  logOverride: { 'html-comment-in-js': 'error' },
  tsconfigRaw: { compilerOptions: { target: 'es2024', verbatimModuleSyntax: true } },
  charset: 'utf8',
  ...made,
  logLevel: 'silent',
} satisfies BuildOptions

const externals = ['@partner/sdk', '@partner/sdk/*', 'node:*']

/** Asks esbuild which files the bundle has. Nothing is written and nothing of the module runs. */
export async function bundleFiles(dir: string, entry: string): Promise<BundleFiles> {
  const { build } = await import('esbuild')
  // Of a relative one esbuild makes nothing.
  const root = path.resolve(dir)
  const run = (changes: BuildOptions, ...first: Plugin[]) =>
    buildAsNode(root, (...plugins) =>
      build({
        ...bundling,
        absWorkingDir: root,
        entryPoints: [entry],
        format: 'esm',
        external: externals,
        plugins: [...first, leaveNodeOutside(), ...plugins],
        loader: { '.node': 'empty', '.wasm': 'empty' },
        ...changes,
        ...made,
      }),
    )
  const result = await run({}).catch((error: unknown) => error as { errors?: readonly BuildProblem[]; message: string })
  if (!('metafile' in result) || !result.metafile)
    return { ...nothingBundled, findings: failures(problemsOf(result as BuildFailure), entry) }
  const { inputs, outputs } = result.metafile
  const held = new Set(
    Object.values(outputs).flatMap((output) =>
      Object.entries(output.inputs).flatMap(([file, { bytesInOutput }]) => (bytesInOutput > 0 ? [file] : [])),
    ),
  )
  const files = Object.keys(inputs).map((file) => file.split(path.sep).join('/'))
  const findings = [
    ...failures(await missingExports(root, result, run), entry),
    ...Object.entries(inputs).flatMap(([file, { imports }]) => [
      ...nativeImports(file, imports),
      ...unreadImports(file, imports),
    ]),
  ]
  const onDisk = files.filter((file) => ![dataAddress, leftOut, disguised].some((none) => none.test(file)))
  const leads = (file: string, specifier: string) => {
    const used = inputs[file]?.imports.find(({ original }) => original === specifier)
    return used && fileOf(used)
  }
  const replaced = (file: string) =>
    (inputs[file]?.imports ?? []).flatMap(({ original, external }) =>
      original !== undefined && isBuiltin(original) && !external ? [original] : [],
    )
  return {
    files: onDisk,
    holds: (file) => held.has(file),
    leads,
    replaced,
    findings: [...findings, ...outsideFiles(files), ...nativePackages(dir, onDisk)],
  }
}

const nothingBundled = { files: [], holds: () => true, leads: () => undefined, replaced: () => [] }

/** A part of Node is no file of the bundle, unless a package of that name is installed or the importing one leaves it out. */
function leaveNodeOutside(): Plugin {
  const asked = Symbol('asked')
  return {
    name: 'leave-node-outside',
    setup(build) {
      build.onResolve(
        { filter: new RegExp(`^(${builtinModules.join('|')})$`) },
        async ({ path, pluginData, ...from }) => {
          if (pluginData === asked) return undefined
          const { errors } = await build.resolve(path, { ...from, pluginData: asked })
          return errors.length > 0 ? { path, external: true } : undefined
        },
      )
    },
  }
}

/** What esbuild calls a file that a package's `browser` field leaves out: it is empty in the bundle. */
const leftOut = /^\(disabled\):/

type BuildProblem = { readonly text: string; readonly location: { file: string; line: number; column: number } | null }
type BuildFailure = { readonly errors?: readonly BuildProblem[]; readonly message: string }

const problemsOf = ({ errors, message }: BuildFailure) => errors ?? [{ text: message, location: null }]

function failures(problems: readonly BuildProblem[], entry: string): Finding[] {
  return problems.map(({ text, location }) => ({
    ...finding(
      'bundle-failed',
      location?.file ?? entry,
      location?.line ?? 1,
      text,
      'Correct what esbuild names, so that the module can be bundled.',
    ),
    column: (location?.column ?? 0) + 1,
  }))
}

function nativeImports(file: string, imports: readonly { path: string }[]): Finding[] {
  const native = imports.filter((used) => /\.(node|wasm)$/.test(used.path))
  const mend = 'Choose a library that is pure JavaScript.'
  return native.map((used) =>
    finding(
      'native-code',
      file,
      1,
      `It loads \`${used.path}\`, which is machine code: an isolate runs JavaScript only.`,
      mend,
    ),
  )
}

type Import = Metafile['inputs'][string]['imports'][number]

/** What an import with attributes leads to has their text behind its name where it is imported without them too. */
function fileOf({ path, with: attributes }: Import): string {
  return attributes ? path.replace(/ with \{[^{}]*\}$/, '') : path
}

/** What esbuild makes a value of and no code, by its ending or by the attribute of the import. */
const dataName = /\.(json|txt|css|node|wasm)$/
const dataTypes = ['json', 'text', 'bytes']

/** esbuild tries a name without what stands behind such a mark, and takes the ending from before it. */
const disguised = /[?#]/

/** Whatever the bundle takes is code that the scan reads, or no code. */
function unreadImports(file: string, imports: readonly Import[]): Finding[] {
  const unread = imports.filter((used) => {
    if (used.external || leftOut.test(used.path) || dataAddress.test(used.path)) return false
    const isData = used.with ? dataTypes.includes(used.with.type ?? '') : dataName.test(used.path)
    return disguised.test(used.path) || !(isData || isCode(used.path))
  })
  const mend = 'Name the file itself, with its ending.'
  return unread.map(({ original, path }) =>
    finding(
      'import-unresolved',
      file,
      1,
      `\`${original}\` takes \`${path}\` into the bundle, which is no name of code or data.`,
      mend,
    ),
  )
}

/** What esbuild calls code that stands in the import itself. */
const dataAddress = /^<data:/

/** A package that is a link may lead anywhere; only the folder and installed packages belong to the module. */
function outsideFiles(files: readonly string[]): Finding[] {
  const outside = files.filter((file) => leavesFolder(file) || dataAddress.test(file))
  const mend = 'Copy what you need into the module, or install it from npm.'
  return outside.map((file) =>
    finding('module-import', file, 1, `The bundle would take \`${file}\` from outside the module's folder.`, mend),
  )
}

const leavesFolder = (file: string) => file.startsWith('..') && !isPackaged(file)

/** Packages that build machine code say so by a `binding.gyp`, wherever their entry file is. */
function nativePackages(dir: string, files: readonly string[]): Finding[] {
  const roots = new Set(files.flatMap((file) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0] ?? []))
  const native = [...roots].filter((root) => existsSync(path.join(dir, root, 'binding.gyp')))
  const mend = 'Choose a library that is pure JavaScript.'
  return native.map((root) =>
    finding(
      'native-code',
      `${root}/binding.gyp`,
      1,
      'This package builds machine code: an isolate runs JavaScript only.',
      mend,
    ),
  )
}
