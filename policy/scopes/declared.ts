/** What the manifest says that the code must agree with. */
export type Declared = {
  readonly slug: string
  readonly scopes: readonly { readonly key: string; readonly line: number }[]
  readonly notifications: readonly { readonly key: string; readonly line: number }[]
  readonly egress: readonly string[]
  readonly widgets: readonly { readonly component: string; readonly line: number }[]
}
