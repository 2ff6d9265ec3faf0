import type { Locale } from '../../partner-services/service/errors.ts'

const texts = {
  signIn: { en: 'Sign in', ar: 'تسجيل الدخول' },
  signOut: { en: 'Sign out', ar: 'تسجيل الخروج' },
  username: { en: 'User name', ar: 'اسم المستخدم' },
  password: { en: 'Password', ar: 'كلمة المرور' },
  wrong: { en: 'This user name and password do not belong together.', ar: 'اسم المستخدم أو كلمة المرور غير صحيحة.' },
  wait: { en: 'Too many attempts. Wait a few minutes.', ar: 'محاولات كثيرة. انتظر بضع دقائق.' },
  apps: { en: 'Your apps', ar: 'تطبيقاتك' },
  noApps: { en: 'No app is installed for you yet.', ar: 'لا توجد تطبيقات متاحة لك بعد.' },
  platform: { en: 'School platform', ar: 'منصة المدرسة' },
  failed: { en: 'This app could not answer', ar: 'تعذر على التطبيق الرد' },
  paused: { en: 'This app is paused for a while', ar: 'هذا التطبيق متوقف مؤقتا' },
  expired: { en: 'This page is too old. Open it again', ar: 'انتهت صلاحية هذه الصفحة. افتحها من جديد' },
  notFound: { en: 'There is no such page', ar: 'هذه الصفحة غير موجودة' },
  notAllowed: { en: 'You may not see this', ar: 'لا يسمح لك بعرض هذا' },
  refused: { en: 'The app refused this', ar: 'رفض التطبيق هذا الطلب' },
  quote: { en: 'When you report it, quote this number', ar: 'عند الإبلاغ اذكر هذا الرقم' },
  back: { en: 'Back to your apps', ar: 'العودة إلى تطبيقاتك' },
} as const

export const pageText = (locale: Locale, key: keyof typeof texts): string => texts[key][locale]

export const directionOf = (locale: Locale): 'rtl' | 'ltr' => (locale === 'ar' ? 'rtl' : 'ltr')
