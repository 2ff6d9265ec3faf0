import { Socket } from 'node:net'
import ivm from 'isolated-vm'
import { bundleFile, controlFd } from './settings.ts'

/** A process for one job: reads a bundle, compiles it without running it, writes V8's code cache, ends. */
function compileOnce(): void {
  const door = new Socket({ fd: controlFd, readable: true, writable: true, allowHalfOpen: true })
  const chunks: Buffer[] = []
  door.on('data', (chunk) => chunks.push(chunk))
  door.on('end', () => {
    const isolate = new ivm.Isolate({ memoryLimit: 128 })
    try {
      const script = isolate.compileScriptSync(Buffer.concat(chunks).toString('utf8'), {
        filename: bundleFile,
        produceCachedData: true,
      })
      const cache =
        'cachedData' in script ? (script.cachedData as ivm.ExternalCopy<ArrayBuffer>).copy() : new ArrayBuffer(0)
      door.end(Buffer.from(cache), () => process.exit(0))
    } catch (error) {
      process.stderr.write(`${error instanceof Error ? error.message : 'no reason given'}\n`, () => process.exit(1))
    }
  })
}

compileOnce()
