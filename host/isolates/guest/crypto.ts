/**
 * `crypto.randomUUID` and `crypto.getRandomValues` from a ChaCha20 key stream under 32 random bytes of the host's, so that
 * identifiers are unpredictable without a way from the guest into the host. Sent into the isolate as source text.
 */
export function makeGuestCrypto(seed: readonly number[]): object {
  const key = new Uint32Array(seed)
  const state = new Uint32Array(16)
  const block = new Uint32Array(16)
  const bytes = new Uint8Array(block.buffer)
  let counter = 0
  let used = 64

  const rotate = (value: number, by: number) => (value << by) | (value >>> (32 - by))
  const quarter = (a: number, b: number, c: number, d: number) => {
    block[a] = block[a]! + block[b]!
    block[d] = rotate(block[d]! ^ block[a]!, 16)
    block[c] = block[c]! + block[d]!
    block[b] = rotate(block[b]! ^ block[c]!, 12)
    block[a] = block[a]! + block[b]!
    block[d] = rotate(block[d]! ^ block[a]!, 8)
    block[c] = block[c]! + block[d]!
    block[b] = rotate(block[b]! ^ block[c]!, 7)
  }
  const refill = () => {
    state.set([0x61707865, 0x3320646e, 0x79622d32, 0x6b206574])
    state.set(key, 4)
    state[12] = counter++
    state[13] = Math.floor(counter / 4_294_967_296)
    block.set(state)
    for (let round = 0; round < 10; round++) {
      quarter(0, 4, 8, 12)
      quarter(1, 5, 9, 13)
      quarter(2, 6, 10, 14)
      quarter(3, 7, 11, 15)
      quarter(0, 5, 10, 15)
      quarter(1, 6, 11, 12)
      quarter(2, 7, 8, 13)
      quarter(3, 4, 9, 14)
    }
    for (let i = 0; i < 16; i++) block[i] = block[i]! + state[i]!
    used = 0
  }
  const nextByte = () => {
    if (used === 64) refill()
    return bytes[used++]!
  }
  const hex = (value: number) => (value < 16 ? '0' : '') + value.toString(16)

  return {
    randomUUID() {
      let text = ''
      for (let i = 0; i < 16; i++) {
        let byte = nextByte()
        if (i === 6) byte = (byte & 0x0f) | 0x40
        if (i === 8) byte = (byte & 0x3f) | 0x80
        text += (i === 4 || i === 6 || i === 8 || i === 10 ? '-' : '') + hex(byte)
      }
      return text
    },
    getRandomValues<View extends ArrayBufferView>(view: View): View {
      const target = new Uint8Array(view.buffer, view.byteOffset, view.byteLength)
      if (target.length > 65_536) throw new RangeError('at most 65536 bytes at once')
      for (let i = 0; i < target.length; i++) target[i] = nextByte()
      return view
    },
  }
}
