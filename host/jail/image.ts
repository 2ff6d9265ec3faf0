/** The files a jailed process needs, and nothing else it may read. */
export type JailImage<Script extends string> = {
  node: string
  scripts: Readonly<Record<Script, string>>
  /** Node's own flags, beyond those of every jail. */
  flags: readonly string[]
  /** What it cannot start without. */
  needed: readonly string[]
  /** What Node's permission model lets it read. */
  readable: string[]
  remove: () => void
}
