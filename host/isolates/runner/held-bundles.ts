import ivm from 'isolated-vm'

/** What a load needs of a bundle, ready for any number of isolates. */
export type HeldBundle = { code: string; cache: ivm.ExternalCopy<ArrayBuffer> | undefined }

/** The bundles that web processes sent ahead, each lane's by its own numbers. They bound them: see `sent-bundles.ts`. */
export function createHeldBundles() {
  const lanes = new Map<number, Map<number, HeldBundle>>()
  return {
    get: (lane: number, number: number) => lanes.get(lane)?.get(number),
    hold(lane: number, number: number, body: Buffer): void {
      const codeEnd = 4 + body.readUInt32LE(0)
      const code = body.toString('utf8', 4, codeEnd)
      const cache =
        codeEnd < body.length
          ? new ivm.ExternalCopy(new Uint8Array(body.subarray(codeEnd)).buffer as ArrayBuffer)
          : undefined
      const held = lanes.get(lane) ?? new Map<number, HeldBundle>()
      lanes.set(lane, held.set(number, { code, cache }))
    },
    forget: (lane: number, number: number) => lanes.get(lane)?.delete(number),
    closeLane: (lane: number) => lanes.delete(lane),
  }
}
