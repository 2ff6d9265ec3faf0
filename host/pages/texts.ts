import type { Locale } from '../../partner-services/service/errors.ts'

const texts = {
  signIn: { en: 'Sign in', ar: 'تسجيل الدخول' },
  signOut: { en: 'Sign out', ar: 'تسجيل الخروج' },
  username: { en: 'User name', ar: 'اسم المستخدم' },
  password: { en: 'Password', ar: 'كلمة المرور' },
  wrong: { en: 'This user name and password do not belong together.', ar: 'اسم المستخدم أو كلمة المرور غير صحيحة.' },
  wait: { en: 'Too many attempts. Wait a few minutes.', ar: 'محاولات كثيرة. انتظر بضع دقائق.' },
  stale: { en: 'This form was no longer valid. Please try again.', ar: 'انتهت صلاحية النموذج. حاول مرة أخرى.' },
  apps: { en: 'Your apps', ar: 'تطبيقاتك' },
  noApps: { en: 'No app is installed for you yet.', ar: 'لا توجد تطبيقات متاحة لك بعد.' },
  platform: { en: 'School platform', ar: 'منصة المدرسة' },
  app: { en: 'App', ar: 'تطبيق' },
  fromApp: {
    en: 'Shown by the app, not by the platform. Do not type your password here.',
    ar: 'يعرضه التطبيق وليس المنصة. لا تكتب كلمة مرورك هنا.',
  },
  signInHint: { en: 'With the account your school gave you.', ar: 'بالحساب الذي منحتك إياه مدرستك.' },
  failed: { en: 'This page could not be shown', ar: 'تعذر عرض هذه الصفحة' },
  paused: { en: 'This page cannot be shown right now', ar: 'لا يمكن عرض هذه الصفحة في هذه اللحظة' },
  tryLater: {
    en: 'Try again in a moment. If it stays like this, tell your school.',
    ar: 'حاول بعد قليل، وإن تكرر ذلك فأخبر مدرستك.',
  },
  signedOut: { en: 'You are signed out', ar: 'لقد سجلت خروجك' },
  signInAgain: { en: 'Sign in and open this page again.', ar: 'سجل الدخول ثم افتح هذه الصفحة من جديد.' },
  expired: { en: 'This page is too old', ar: 'انتهت صلاحية هذه الصفحة' },
  openAgain: { en: 'Open it again and repeat what you did last.', ar: 'افتحها من جديد وكرر آخر ما قمت به.' },
  notFound: { en: 'There is no such page', ar: 'هذه الصفحة غير موجودة' },
  checkAddress: {
    en: 'The address may be mistyped or the page is gone.',
    ar: 'قد يكون العنوان خاطئا أو أزيلت الصفحة.',
  },
  notAllowed: { en: 'You may not see this', ar: 'لا يسمح لك بعرض هذا' },
  askAdministrator: {
    en: 'Your school decides who may. Ask its administrator.',
    ar: 'مدرستك تحدد ذلك. اسأل مسؤول النظام فيها.',
  },
  refused: { en: 'This was not accepted', ar: 'لم يقبل هذا الطلب' },
  tryOther: { en: 'Go back, check what you entered and try again.', ar: 'ارجع وتحقق مما أدخلته ثم حاول مرة أخرى.' },
  askForAddress: {
    en: 'The link that led here is not valid. Ask whoever gave it to you for another.',
    ar: 'الرابط الذي أوصلك إلى هنا غير صالح. اطلب رابطا آخر ممن أعطاك إياه.',
  },
  quote: { en: 'When you report it, quote this number:', ar: 'عند الإبلاغ اذكر هذا الرقم:' },
  back: { en: 'Back to your apps', ar: 'العودة إلى تطبيقاتك' },
} as const

export type TextKey = keyof typeof texts

export const pageText = (locale: Locale, key: TextKey): string => texts[key][locale]

export const directionOf = (locale: Locale): 'rtl' | 'ltr' => (locale === 'ar' ? 'rtl' : 'ltr')
