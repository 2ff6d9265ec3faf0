/** The files a jailed process needs, and nothing else it may read. */
export type JailImage<Script extends string> = {
  node: string
  scripts: Readonly<Record<Script, string>>
  /** Node's own flags, beyond those of every jail. */
  flags: readonly string[]
  /** What it cannot start without. */
  needed: readonly string[]
  /** The start of every command line, where the image has to be put into its place first; it runs as this process's user. */
  placed?: readonly string[]
  /** Where the image comes from, if it is not the checkout itself: for the start log. */
  origin?: string
  /** What Node's permission model lets it read. */
  readable: string[]
  remove: () => void
}
