import { survives } from '../survives.ts'

/** Every way of the language to make code from text, also by what is left of them after they were replaced. */
survives(
  'own code from text',
  `const text = 'globalThis.made = true'
const kinds = [() => {}, async () => {}, function* () {}, async function* () {}, class {}, Array, JSON.parse, console.log]
const makers = kinds.flatMap((kind) => {
  const { constructor } = Object.getPrototypeOf(kind)
  return [kind.constructor, constructor, Object.getPrototypeOf(constructor).constructor]
})
const ways = [
  () => eval(text),
  () => (0, eval)(text),
  () => eval?.(text),
  () => [text].map(eval),
  () => Function(text)(),
  () => new Function(text)(),
  () => Reflect.construct(Function, [text])(),
  () => Reflect.construct(Object, [text], Function)(),
  () => Function.bind(null, text)()(),
  () => new (class extends Function {})(text)(),
  ...makers.flatMap((make) => [() => make(text)().next?.(), () => new make(text)().next?.()]),
  () => setTimeout(text),
  () => setInterval(text),
  () => { Error.prepareStackTrace = (error, sites) => sites; for (const site of new Error().stack) site.getFunction?.()?.constructor(text)() },
]
globalThis.h = async () => {
  for (const way of ways) try { await way() } catch {}
  await new Promise((later) => setTimeout(later, 5))
  return [typeof made, (() => {}) instanceof Function, (() => {}).constructor === Function, eval(7), Function.prototype === Object.getPrototypeOf(() => {})]
}`,
  { value: '["undefined",true,true,7,true]' },
)
