import ivm from 'isolated-vm'

/** Makes so many empty isolates with a context each and keeps them. */
const kept: unknown[] = []
process.on('message', (count: number) => {
  for (let i = 0; i < count; i++) {
    const isolate = new ivm.Isolate({ memoryLimit: 64 })
    kept.push(isolate, isolate.createContextSync())
  }
  process.send?.('made')
})
process.on('disconnect', () => process.exit(0))
