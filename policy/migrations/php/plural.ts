/**
 * `foreignId('category_id')->constrained()` means the table `categories`. These are the English rules of the inflector
 * that Laravel uses; like it, they see the whole name, so only a name that is one word can be irregular.
 */
const unchanged = new RegExp(
  `^(?:${String.raw`\w+media advice aircraft amoyese art audio baggage bison borghese bream breeches britches buffalo butter cantus
  carp chassis clippers clothing coal cod coitus compensation congoese contretemps coreopsis corps cotton data
  debris deer diabetes djinn education eland elk emoji equipment evidence faroese feedback fish flounder flour
  foochowese food furniture gallows genevese genoese gilbertese gold headquarters herpes hijinks homework
  hottentotese impatience information innings jackanapes jeans jedi kiplingese knowledge kongoese leather love
  lucchese luggage mackerel maltese management metadata mews money moose mumps music nankingese news nexus niasese
  nutrition offspring oil patience pekingese piedmontese pincers pistoiese plankton pliers pokemon police polish
  portuguese proceedings progress rabies rain research rhinoceros rice salmon sand sarawakese scissors sea[-]bass
  series shavese shears sheep siemens silk sms soap spam species staff sugar swine talent toothpaste traffic
  travel trousers trout tuna us vermontese vinegar weather wenchowese wheat whiting wildebeest wood wool yengeese
  people trivia \w+ware media recommended related`
    .split(/\s+/)
    .join('|')})$`,
  'i',
)

/** The inflector's versions differ on these. */
const disputed = new Set(['experience', 'work', 'training'])

const irregular: ReadonlyMap<string, string> = new Map(
  `atlas:atlases axe:axes beef:beefs blouse:blouses brother:brothers cafe:cafes chateau:chateaux niveau:niveaux
  child:children canvas:canvases cookie:cookies corpus:corpuses cow:cows criterion:criteria curriculum:curricula
  demo:demos domino:dominoes echo:echoes foot:feet fungus:fungi ganglion:ganglions gas:gases genie:genies
  genus:genera goose:geese graffito:graffiti hippopotamus:hippopotami hoof:hoofs human:humans iris:irises
  larva:larvae leaf:leaves lens:lenses loaf:loaves man:men medium:media memorandum:memoranda mongoose:mongooses
  motto:mottoes move:moves mythos:mythoi niche:niches nucleus:nuclei numen:numina occiput:occiputs
  octopus:octopuses opus:opuses ox:oxen passerby:passersby penis:penises person:people plateau:plateaux
  runner-up:runners-up safe:safes sex:sexes soliloquy:soliloquies son-in-law:sons-in-law syllabus:syllabi
  testis:testes thief:thieves tooth:teeth tornado:tornadoes trilby:trilbys turf:turfs valve:valves
  volcano:volcanoes abuse:abuses avalanche:avalanches cache:caches curve:curves emphasis:emphases foe:foes
  grave:graves hoax:hoaxes neurosis:neuroses save:saves wave:waves oasis:oases zombie:zombies`
    .split(/\s+/)
    .map((pair) => pair.split(':') as [string, string]),
)

const rules: readonly (readonly [RegExp, string])[] = [
  [/(s)tatus$/i, '$1tatuses'],
  [/(quiz)$/i, '$1zes'],
  [/^(ox)$/i, '$1en'],
  [/([m|l])ouse$/i, '$1ice'],
  [/(matr|vert|ind)(ix|ex)$/i, '$1ices'],
  [/(x|ch|ss|sh)$/i, '$1es'],
  [/([^aeiouy]|qu)y$/i, '$1ies'],
  [/(hive|gulf)$/i, '$1s'],
  [/(?:([^f])fe|([lr])f)$/i, '$1$2ves'],
  [/sis$/i, 'ses'],
  [/([ti])um$/i, '$1a'],
  [/(tax)on$/i, '$1a'],
  [/(c)riterion$/i, '$1riteria'],
  [/(p)erson$/i, '$1eople'],
  [/(m)an$/i, '$1en'],
  [/(c)hild$/i, '$1hildren'],
  [/(f)oot$/i, '$1eet'],
  [/(buffal|her|potat|tomat|volcan)o$/i, '$1oes'],
  [/(alumn|bacill|cact|foc|fung|nucle|radi|stimul|syllab|termin|vir)us$/i, '$1i'],
  [/us$/i, 'uses'],
  [/(alias)$/i, '$1es'],
  [/(analys|ax|cris|test|thes)is$/i, '$1es'],
  [/s$/i, 's'],
  [/$/, 's'],
]

/** Undefined where Laravel's answer depends on its version. */
export function plural(word: string): string | undefined {
  if (disputed.has(word)) return undefined
  if (unchanged.test(word)) return word
  const known = irregular.get(word)
  if (known) return known
  const rule = rules.find(([pattern]) => pattern.test(word))
  return rule ? word.replace(rule[0], rule[1]) : word
}
