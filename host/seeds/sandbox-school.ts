import { familyName, type Gender, personName } from './names.ts'
import { createIds, createRandom } from './random.ts'

const counts = { students: 2_000, guardians: 1_400, employees: 120, grades: 12, sectionsPerGrade: 4 }

/** What a role is for; keys are what `viewer.roles` shows. */
export const roles = ['administrator', 'principal', 'teacher', 'librarian', 'counsellor', 'registrar'] as const

const jobTitles: Record<(typeof roles)[number], string> = {
  administrator: 'مدير النظام',
  principal: 'مدير المدرسة',
  teacher: 'معلم',
  librarian: 'أمين المكتبة',
  counsellor: 'مرشد طلابي',
  registrar: 'مسجل',
}

export type SandboxSchool = ReturnType<typeof sandboxSchool>

/** The sandbox school's records: always the same 2,000 students, 1,400 guardians and 120 employees. Nobody is real. */
export function sandboxSchool() {
  const random = createRandom(20_240_901)
  const grades = makeGrades()
  const sections = makeSections(grades)
  const guardians = makeGuardians(random)
  const students = makeStudents(random, sections, guardians)
  const employees = makeEmployees(random)
  return { grades, sections, guardians, students, employees, ...makeCalendar(), ...makeTeaching() }
}

const gradeNames = 'الأول الثاني الثالث الرابع الخامس السادس السابع الثامن التاسع العاشر الحادي_عشر الثاني_عشر'.split(
  ' ',
)

function makeGrades() {
  const id = createIds(1)
  return gradeNames.map((name, index) => ({ id: id(), name: `الصف ${name.replace('_', ' ')}`, level: index + 1 }))
}

function makeSections(grades: { id: string; level: number }[]) {
  const id = createIds(2)
  return grades.flatMap((grade) =>
    ['أ', 'ب', 'ج', 'د']
      .slice(0, counts.sectionsPerGrade)
      .map((letter) => ({ id: id(), name: `${grade.level}${letter}`, grade_id: grade.id, level: grade.level })),
  )
}

function makeGuardians(random: ReturnType<typeof createRandom>) {
  const id = createIds(3)
  return Array.from({ length: counts.guardians }, (_, index) => {
    const family = familyName(random)
    const relation = random.integer(10) < 7 ? 'father' : random.integer(10) < 8 ? 'mother' : 'other'
    const gender: Gender = relation === 'mother' ? 'female' : 'male'
    return {
      id: id(),
      full_name: personName(random, gender, family),
      phone: `+9665${(50_000_000 + index * 7).toString()}`,
      email: random.integer(2) ? `guardian${index + 1}@families.example` : null,
      relation,
      family,
    }
  })
}

function makeStudents(
  random: ReturnType<typeof createRandom>,
  sections: { id: string; grade_id: string; level: number }[],
  guardians: { id: string; family: { name: string; arabic: boolean } }[],
) {
  const id = createIds(4)
  return Array.from({ length: counts.students }, (_, index) => {
    const section = sections[index % sections.length]!
    // Every guardian has a child before anyone has a second.
    const guardian = guardians[index < guardians.length ? index : random.integer(guardians.length)]!
    const gender: Gender = index % 2 ? 'female' : 'male'
    const born = new Date(Date.UTC(2018 - section.level, random.integer(12), 1 + random.integer(28)))
    return {
      id: id(),
      full_name: personName(random, gender, guardian.family),
      national_id: `1${(100_000_000 + index * 37).toString()}`,
      birth_date: born.toISOString().slice(0, 10),
      gender,
      grade_id: section.grade_id,
      section_id: section.id,
      guardian_id: guardian.id,
    }
  })
}

function makeEmployees(random: ReturnType<typeof createRandom>) {
  const id = createIds(5)
  return Array.from({ length: counts.employees }, (_, index) => {
    const role = index < roles.length ? roles[index]! : index % 12 === 0 ? 'counsellor' : 'teacher'
    const gender: Gender = index % 3 ? 'male' : 'female'
    return {
      id: id(),
      full_name: personName(random, gender, familyName(random)),
      job_title: jobTitles[role],
      email: `employee${index + 1}@school.example`,
      roles: [role],
    }
  })
}

function makeCalendar() {
  const yearId = createIds(6)
  const termId = createIds(7)
  const academic_years = [2025, 2026].map((year) => ({
    id: yearId(),
    name: `${year}/${year + 1}`,
    starts_on: `${year}-08-24`,
    ends_on: `${year + 1}-06-25`,
  }))
  const terms = academic_years.flatMap((year) =>
    ['الفصل الأول', 'الفصل الثاني'].map((name) => ({
      id: termId(),
      name: `${name} ${year.name}`,
      academic_year_id: year.id,
    })),
  )
  return { academic_years, terms }
}

const subjectNames = [
  ['الرياضيات', 'MATH'],
  ['العلوم', 'SCI'],
  ['اللغة العربية', 'ARA'],
  ['English', 'ENG'],
  ['التاريخ', 'HIS'],
  ['الجغرافيا', 'GEO'],
  ['الفيزياء', 'PHY'],
  ['الكيمياء', 'CHE'],
  ['الأحياء', 'BIO'],
  ['التربية الفنية', 'ART'],
  ['التربية البدنية', 'PE'],
  ['الحاسب', 'ICT'],
] as const

function makeTeaching() {
  const subjectId = createIds(8)
  const subjects = subjectNames.map(([name, code]) => ({ id: subjectId(), name, code }))
  const [published, draft] = [createIds(9)(), createIds(10)()]
  const firstTerm = `${createIdsAt(7, 3)}`
  const curricula = [
    {
      id: published,
      subject_id: subjects[0]!.id,
      term_id: firstTerm,
      status: 'published',
      textbook_url: 'https://books.example/math-1.pdf',
    },
    { id: draft, subject_id: subjects[1]!.id, term_id: firstTerm, status: 'draft', textbook_url: null },
  ]
  return { subjects, curricula, ...makeWeeks([published, draft]) }
}

/** The id that the generator of `kind` gives at its `count`th call. */
function createIdsAt(kind: number, count: number): string {
  const next = createIds(kind)
  return Array.from({ length: count }, next).at(-1)!
}

const holidayPosition = 7
const examPosition = 18
const unplannedPosition = 15
const weekCount = 18

/** Eighteen weeks from 23 August 2026: one holiday, one week not planned yet, exams at the end. */
function makeWeeks(curriculumIds: string[]) {
  const weeks = curriculumIds.flatMap((curriculum_id) => {
    let number = 0
    return Array.from({ length: weekCount }, (_, index) => {
      const position = index + 1
      const kind = position === holidayPosition ? 'holiday' : position === examPosition ? 'exam' : 'study'
      const starts = new Date(Date.UTC(2026, 7, 23 + index * 7))
      const ends = new Date(starts.getTime() + 4 * 86_400_000)
      return {
        curriculum_id,
        position,
        number: kind === 'holiday' ? null : ++number,
        starts_on: starts.toISOString().slice(0, 10),
        ends_on: ends.toISOString().slice(0, 10),
        kind,
        label: kind === 'holiday' ? 'إجازة اليوم الوطني' : kind === 'exam' ? 'الاختبارات النهائية' : null,
      }
    })
  })
  const lessons = weeks
    .filter(({ kind, position }) => kind === 'study' && position !== unplannedPosition)
    .flatMap(({ curriculum_id, position }) => [
      {
        curriculum_id,
        week_position: position,
        position: 1,
        unit: `الوحدة ${Math.ceil(position / 3)}`,
        title: `الدرس ${position}-1`,
        kind: 'lesson',
        sessions: 2,
        content: null,
      },
      {
        curriculum_id,
        week_position: position,
        position: 2,
        unit: `الوحدة ${Math.ceil(position / 3)}`,
        title: `الدرس ${position}-2`,
        kind: 'lesson',
        sessions: 1,
        content: 'تمارين',
      },
    ])
  return { weeks, lessons }
}
