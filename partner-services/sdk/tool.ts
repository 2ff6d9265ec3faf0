import type { Context } from './context.ts'

export type ToolOptions<Input> = {
  /** `<slug>.<resource>.<verb>`, for example `library.loans.list`. */
  name: string
  /** What the assistant reads to decide whether to call it. */
  description: string
  /** JSON Schema of `input`: what the assistant is told. The handler checks its input itself. */
  parameters: Record<string, unknown>
  /** Without one of these the tool is not offered. */
  requiredScopes?: string[]
  handler(context: Context & { input: Input }): Promise<unknown> | unknown
}

export type Tool = ToolOptions<never>

/** Something the school's assistant may call. It answers with plain JSON. */
export function tool<Input = Record<string, unknown>>(options: ToolOptions<Input>): Tool {
  return options as Tool
}
