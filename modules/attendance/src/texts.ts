import type { Locale } from '@partner/sdk'

const texts = {
  attendance: { en: 'Attendance', ar: 'الحضور' },
  sections: { en: 'Sections', ar: 'الشعب' },
  section: { en: 'Section', ar: 'الشعبة' },
  register: { en: 'Register', ar: 'السجل' },
  absences: { en: 'Absences', ar: 'الغياب' },
  summary: { en: 'Weekly summary', ar: 'ملخص الأسبوع' },
  student: { en: 'Student', ar: 'الطالب' },
  born: { en: 'Born', ar: 'تاريخ الميلاد' },
  day: { en: 'Day', ar: 'اليوم' },
  status: { en: 'Status', ar: 'الحالة' },
  marked: { en: 'Marked', ar: 'المسجل' },
  present: { en: 'Present', ar: 'حاضر' },
  absent: { en: 'Absent', ar: 'غائب' },
  late: { en: 'Late', ar: 'متأخر' },
  excused: { en: 'Excused', ar: 'غياب بعذر' },
  show: { en: 'Show', ar: 'عرض' },
  save: { en: 'Save', ar: 'حفظ' },
  saved: { en: 'Saved for this day.', ar: 'حفظ السجل لهذا اليوم.' },
  notSaved: { en: 'Not saved yet for this day.', ar: 'لم يحفظ السجل لهذا اليوم بعد.' },
  noSuchDay: { en: 'There is no such day. Nothing was saved.', ar: 'لا يوجد يوم كهذا. لم يحفظ شيء.' },
  next: { en: 'Next page', ar: 'الصفحة التالية' },
  none: { en: 'Nothing here yet.', ar: 'لا يوجد شيء بعد.' },
  staffOnly: { en: 'This page is for staff.', ar: 'هذه الصفحة للموظفين.' },
} as const satisfies Record<string, Record<Locale, string>>

export type TextKey = keyof typeof texts

export const t = (locale: Locale, key: TextKey): string => texts[key][locale]
