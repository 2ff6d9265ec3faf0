import type { Random } from './random.ts'

const boys =
  'محمد أحمد عبدالله عبدالرحمن خالد سلطان فهد سعود يوسف إبراهيم عمر علي حسن حسين ماجد تركي نايف بدر راشد طلال'.split(
    ' ',
  )
const girls =
  'فاطمة عائشة مريم نورة سارة هند لطيفة منيرة ريم دانة شهد جود لمى رنا أسماء خديجة آمنة هيا العنود غادة'.split(' ')
const families = 'العتيبي القحطاني الحربي الشمري الدوسري المطيري الغامدي الزهراني السبيعي العنزي الشهري البلوي'.split(
  ' ',
)

const englishBoys = 'Adam Daniel Omar Yusuf Noah James Ryan Zayd Liam Elias'.split(' ')
const englishGirls = 'Layla Emma Sofia Hannah Maryam Zara Olivia Amal Nadia Grace'.split(' ')
const englishFamilies = 'Rahman Khan Smith Haddad Malik Anderson Nasser Iqbal Brown Saleh'.split(' ')

export type Gender = 'male' | 'female'

export const familyName = (random: Random): { name: string; arabic: boolean } => {
  const arabic = random.integer(10) < 8
  return { arabic, name: random.pick(arabic ? families : englishFamilies) }
}

/** Three names in the family's language: given name, father's, family's. */
export function personName(random: Random, gender: Gender, family: { name: string; arabic: boolean }): string {
  const male = family.arabic ? boys : englishBoys
  const female = family.arabic ? girls : englishGirls
  return [random.pick(gender === 'male' ? male : female), random.pick(male), family.name].join(' ')
}
