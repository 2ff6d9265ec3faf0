import ivm from 'isolated-vm'

/** Makes so many isolates with a context each, empty or with the given code run in them, and keeps them. */
const kept: unknown[] = []
process.on('message', ({ count, code }: { count: number; code: string | undefined }) => {
  for (let i = 0; i < count; i++) {
    const isolate = new ivm.Isolate({ memoryLimit: 64 })
    const context = isolate.createContextSync()
    if (code !== undefined) isolate.compileScriptSync(code).runSync(context)
    kept.push(isolate, context)
  }
  process.send?.('made')
})
process.on('disconnect', () => process.exit(0))
