/** A scope of the catalog. No scope exists that is not listed here. Source: specification, scope keys; decisions.md. */
export type ScopeDefinition = {
  /** `<feature>.<resource>.<action>`. */
  key: string
  action: 'read' | 'write' | 'send'
  /** Shown in warning style at consent, and only granted with a written reason. */
  dangerous: boolean
  /** May be seen on a public page by a landing widget. */
  publicSurface: boolean
  /** May be written from a public page by a landing widget. */
  publicWritable: boolean
  active: boolean
  description: { ar: string; en: string }
}

export type Label = { ar: string; en: string }

type Flags = Partial<Pick<ScopeDefinition, 'dangerous' | 'publicSurface' | 'publicWritable' | 'active'>>

const scope = (key: string, en: string, ar: string, flags: Flags = {}): ScopeDefinition => ({
  key,
  action: key.split('.').at(-1) as ScopeDefinition['action'],
  dangerous: false,
  publicSurface: false,
  publicWritable: false,
  active: true,
  ...flags,
  description: { ar, en },
})

export const scopeCatalog: readonly ScopeDefinition[] = [
  scope('education.students.read', 'See students and their basic data', 'الاطلاع على الطلاب وبياناتهم الأساسية'),
  scope('education.students.write', 'Add and change students', 'إضافة الطلاب وتعديلهم'),
  scope(
    'education.guardians.read',
    'See guardians and how to reach them',
    'الاطلاع على أولياء الأمور ووسائل الاتصال بهم',
  ),
  scope('education.guardians.write', 'Add and change guardians', 'إضافة أولياء الأمور وتعديلهم'),
  scope('education.subjects.read', 'See subjects', 'الاطلاع على المواد الدراسية'),
  scope('education.subjects.write', 'Add and change subjects', 'إضافة المواد الدراسية وتعديلها'),
  scope('education.grades.read', 'See grades', 'الاطلاع على الصفوف', { publicSurface: true }),
  scope('education.grades.write', 'Add and change grades', 'إضافة الصفوف وتعديلها'),
  scope('education.sections.read', 'See sections', 'الاطلاع على الشعب'),
  scope('education.sections.write', 'Add and change sections', 'إضافة الشعب وتعديلها'),
  scope('education.academic_years.read', 'See academic years', 'الاطلاع على الأعوام الدراسية'),
  scope('education.academic_years.write', 'Change academic years', 'تعديل الأعوام الدراسية'),
  scope('education.terms.read', 'See terms', 'الاطلاع على الفصول الدراسية'),
  scope('education.terms.write', 'Change terms', 'تعديل الفصول الدراسية'),
  scope('education.curriculum.read', 'See published curricula', 'الاطلاع على توزيع المناهج المنشور'),
  scope('education.face_embeddings.read', 'See biometric face vectors', 'الاطلاع على بصمات الوجه', { dangerous: true }),
  scope('employees.directory.read', 'See the employee directory', 'الاطلاع على دليل الموظفين'),
  scope('employees.directory.write', 'Add and change employees', 'إضافة الموظفين وتعديلهم'),
  scope('countries.directory.read', 'See the list of countries', 'الاطلاع على قائمة الدول', { publicSurface: true }),
  scope(
    'countries.education_levels.read',
    'See education levels of countries',
    'الاطلاع على المراحل التعليمية في الدول',
    {
      publicSurface: true,
    },
  ),
  scope('contacts.enquiries.read', 'See enquiries sent to the school', 'الاطلاع على الاستفسارات المرسلة إلى المدرسة'),
  scope('contacts.enquiries.write', 'Send an enquiry to the school', 'إرسال استفسار إلى المدرسة', {
    publicWritable: true,
  }),
  scope('reports.builder.read', 'Run reports and print templates', 'تشغيل التقارير وطباعة القوالب'),
  scope('reports.builder.write', 'Propose report templates', 'اقتراح قوالب التقارير'),
  scope('notifications.providers.send', 'Send notifications', 'إرسال الإشعارات'),
  scope('notifications.logs.read', 'See the log of sent notifications', 'الاطلاع على سجل الإشعارات'),
  scope('realtime.messages.write', 'Publish realtime messages', 'نشر الرسائل الفورية'),
]

const features: Record<string, Label> = {
  education: { ar: 'التعليم', en: 'Education' },
  employees: { ar: 'الموظفون', en: 'Employees' },
  countries: { ar: 'الدول', en: 'Countries' },
  contacts: { ar: 'جهات الاتصال', en: 'Contacts' },
  reports: { ar: 'التقارير', en: 'Reports' },
  notifications: { ar: 'الإشعارات', en: 'Notifications' },
  realtime: { ar: 'الرسائل الفورية', en: 'Realtime' },
}

const resources: Record<string, Label> = {
  'education.students': { ar: 'الطلاب', en: 'Students' },
  'education.guardians': { ar: 'أولياء الأمور', en: 'Guardians' },
  'education.subjects': { ar: 'المواد', en: 'Subjects' },
  'education.grades': { ar: 'الصفوف', en: 'Grades' },
  'education.sections': { ar: 'الشعب', en: 'Sections' },
  'education.academic_years': { ar: 'الأعوام الدراسية', en: 'Academic years' },
  'education.terms': { ar: 'الفصول الدراسية', en: 'Terms' },
  'education.curriculum': { ar: 'المناهج', en: 'Curriculum' },
  'education.face_embeddings': { ar: 'بصمات الوجه', en: 'Face embeddings' },
  'employees.directory': { ar: 'دليل الموظفين', en: 'Directory' },
  'countries.directory': { ar: 'دليل الدول', en: 'Directory' },
  'countries.education_levels': { ar: 'المراحل التعليمية', en: 'Education levels' },
  'contacts.enquiries': { ar: 'الاستفسارات', en: 'Enquiries' },
  'reports.builder': { ar: 'منشئ التقارير', en: 'Report builder' },
  'notifications.providers': { ar: 'مزودو الإشعارات', en: 'Providers' },
  'notifications.logs': { ar: 'سجل الإشعارات', en: 'Logs' },
  'realtime.messages': { ar: 'الرسائل', en: 'Messages' },
}

export const catalogLabels: { features: Record<string, Label>; resources: Record<string, Label> } = {
  features,
  resources,
}
