/** Every error a caller can meet: its code, status and message. Held to the description by a test. */
export const errorCatalogue = {
  bad_request: { status: 400, en: 'The request is not well formed.', ar: 'صيغة الطلب غير سليمة.' },
  invalid_grant_request: { status: 400, en: 'The request is incomplete.', ar: 'الطلب غير مكتمل.' },
  unauthenticated: { status: 401, en: 'The token is missing or invalid.', ar: 'رمز الوصول مفقود أو غير صالح.' },
  scope_not_granted: { status: 403, en: 'The scope {scope} is not granted.', ar: 'الصلاحية {scope} غير ممنوحة.' },
  ai_approval_required: {
    status: 403,
    en: 'The AI engine is not approved for this app.',
    ar: 'لم تتم الموافقة على استخدام الذكاء الاصطناعي لهذا التطبيق.',
  },
  widget_not_attributable: {
    status: 403,
    en: 'No widget of this school answers here.',
    ar: 'لا توجد أداة تخص هذه المدرسة هنا.',
  },
  not_author: { status: 403, en: 'Another author owns this record.', ar: 'هذا السجل يخص جهة أخرى.' },
  forbidden: { status: 403, en: 'You may not do this.', ar: 'لا يسمح لك بهذا.' },
  not_found: { status: 404, en: 'Not found.', ar: 'غير موجود.' },
  method_not_allowed: { status: 405, en: 'This method is not allowed here.', ar: 'هذه الطريقة غير مسموح بها هنا.' },
  request_timeout: { status: 408, en: 'The request took too long to arrive.', ar: 'استغرق وصول الطلب وقتا طويلا.' },
  idempotency_conflict: {
    status: 409,
    en: 'This idempotency key was used for another request.',
    ar: 'استخدم مفتاح التكرار هذا لطلب آخر.',
  },
  idempotency_in_progress: {
    status: 409,
    en: 'The first request with this key is still running.',
    ar: 'الطلب الأول بهذا المفتاح ما زال قيد التنفيذ.',
  },
  invalid_state: {
    status: 409,
    en: 'The record is in a state that does not allow this.',
    ar: 'حالة السجل لا تسمح بهذا.',
  },
  cannot_edit_published: {
    status: 409,
    en: 'A published version cannot be edited: make a new one.',
    ar: 'لا يمكن تعديل نسخة منشورة: أنشئ نسخة جديدة.',
  },
  delete_blocked_by_installs: {
    status: 409,
    en: 'Schools have it installed: deactivate it instead.',
    ar: 'مثبت لدى مدارس: عطله بدلا من حذفه.',
  },
  payload_too_large: { status: 413, en: 'The request is too large.', ar: 'الطلب أكبر من المسموح.' },
  unsupported_media_type: { status: 415, en: 'Send application/json.', ar: 'أرسل application/json.' },
  session_expired: { status: 419, en: 'The session has expired.', ar: 'انتهت الجلسة.' },
  invalid_data: { status: 422, en: 'The given data was invalid.', ar: 'البيانات المدخلة غير صالحة.' },
  rate_limited: { status: 429, en: 'Too many requests.', ar: 'طلبات كثيرة جدا.' },
  headers_too_large: { status: 431, en: 'The headers are too large.', ar: 'ترويسات الطلب أكبر من المسموح.' },
  internal: { status: 500, en: 'Something went wrong.', ar: 'حدث خطأ ما.' },
  unavailable: { status: 503, en: 'The service is unavailable for a moment.', ar: 'الخدمة غير متاحة مؤقتا.' },
  app_quarantined: { status: 503, en: 'This app is paused after failures.', ar: 'أوقف هذا التطبيق مؤقتا بعد أعطال.' },
} as const

export type ErrorCode = keyof typeof errorCatalogue
export type Locale = 'en' | 'ar'

/** What may travel with an error. Nothing else of it leaves the host. */
export type ErrorDetails = {
  /** On `scope_not_granted`: the missing scope. */
  scope?: string
  /** On `invalid_data`: messages by field. */
  errors?: Record<string, string[]>
  /** Seconds; becomes `Retry-After`. */
  retryAfter?: number
}

/** A refusal with a code of the catalogue. Anything else that is thrown is a fault of ours: 500, and logged. */
export class ServiceError extends Error {
  override name = 'ServiceError'
  readonly code: ErrorCode
  readonly details: ErrorDetails
  constructor(code: ErrorCode, details: ErrorDetails = {}) {
    super(errorMessage(code, 'en', details))
    this.code = code
    this.details = details
  }
  get status(): number {
    return errorCatalogue[this.code].status
  }
}

/** The operation's scope is not among those the school granted. Source: specification, embedded isolation rule 6. */
export class MissingScopeException extends ServiceError {
  override name = 'MissingScopeException'
  constructor(scope: string) {
    super('scope_not_granted', { scope })
  }
}

export class NotFoundException extends ServiceError {
  override name = 'NotFoundException'
  constructor() {
    super('not_found')
  }
}

export class InvalidInputException extends ServiceError {
  override name = 'InvalidInputException'
  constructor(errors: Record<string, string[]>) {
    super('invalid_data', { errors })
  }
}

export function errorMessage(code: ErrorCode, locale: Locale, details: ErrorDetails = {}): string {
  return errorCatalogue[code][locale].replace('{scope}', details.scope ?? '')
}

/** The error as its JSON body. `error` is absent where the specification shows none: on 500. */
export function errorBody(error: ServiceError, locale: Locale): Record<string, unknown> {
  const { scope, errors } = error.details
  return {
    message: errorMessage(error.code, locale, error.details),
    ...(error.status < 500 || error.status === 503 ? { error: error.code } : {}),
    ...(scope === undefined ? {} : { scope }),
    ...(errors === undefined ? {} : { errors }),
  }
}
