import type { Locale } from '@partner/sdk'

const texts = {
  library: { en: 'Library', ar: 'المكتبة' },
  catalogue: { en: 'Catalogue', ar: 'الفهرس' },
  loans: { en: 'Loans', ar: 'الإعارات' },
  overdue: { en: 'Overdue books', ar: 'الكتب المتأخرة' },
  mine: { en: 'My books', ar: 'كتبي' },
  addBook: { en: 'Add a book', ar: 'إضافة كتاب' },
  title: { en: 'Title', ar: 'العنوان' },
  author: { en: 'Author', ar: 'المؤلف' },
  isbn: { en: 'ISBN', ar: 'الرقم الدولي' },
  copies: { en: 'Copies', ar: 'النسخ' },
  available: { en: 'Available', ar: 'المتاح' },
  of: { en: '/', ar: 'من' },
  student: { en: 'Student', ar: 'الطالب' },
  book: { en: 'Book', ar: 'الكتاب' },
  born: { en: 'Born', ar: 'تاريخ الميلاد' },
  lentOn: { en: 'Lent on', ar: 'تاريخ الإعارة' },
  dueOn: { en: 'Due on', ar: 'تاريخ الإرجاع' },
  search: { en: 'Search', ar: 'بحث' },
  save: { en: 'Save', ar: 'حفظ' },
  lend: { en: 'Lend', ar: 'إعارة' },
  lendTo: { en: 'Lend to a student', ar: 'إعارة لطالب' },
  giveBack: { en: 'Returned', ar: 'أعيد' },
  next: { en: 'Next page', ar: 'الصفحة التالية' },
  none: { en: 'Nothing here yet.', ar: 'لا يوجد شيء بعد.' },
  noStudent: { en: 'No student of this name.', ar: 'لا يوجد طالب بهذا الاسم.' },
  more: { en: '{count} more: type more of the name.', ar: 'يوجد {count} غيرهم: اكتب المزيد من الاسم.' },
  noCopy: { en: 'No copy is available.', ar: 'لا توجد نسخة متاحة.' },
  givenBack: {
    en: 'The book that this form lent is back. To lend it again, use the form below.',
    ar: 'أعيد الكتاب الذي أعير بهذا النموذج. لإعارته مرة أخرى استخدم النموذج أدناه.',
  },
  addedAlready: {
    en: 'This form has added a book already. To add another one, save again.',
    ar: 'أضيف كتاب بهذا النموذج من قبل. لإضافة كتاب آخر احفظ مرة أخرى.',
  },
  librariansOnly: { en: 'This page is for librarians.', ar: 'هذه الصفحة لأمناء المكتبة.' },
  overdueForLibrarians: {
    en: 'Who has which book is for librarians.',
    ar: 'معرفة من لديه أي كتاب لأمناء المكتبة.',
  },
  wrongBook: {
    en: 'A book needs a title, an author and 1 to 1000 copies.',
    ar: 'يحتاج الكتاب إلى عنوان ومؤلف ومن نسخة إلى 1000 نسخة.',
  },
} as const satisfies Record<string, Record<Locale, string>>

export type TextKey = keyof typeof texts

export const t = (locale: Locale, key: TextKey): string => texts[key][locale]
