// Generated from the operations by partner-services/client/generate.ts. Do not edit.

export type TenantClock = { timezone: string; offset: string; now: string }

/** ULID, 26 characters */
export type Ulid = string

export type Student = { id: Ulid; full_name: string; national_id: string | null; birth_date: string | null; gender: "male" | "female" | null; grade_id: Ulid | null; section_id: Ulid | null; guardian_id: Ulid | null }

export type Guardian = { id: Ulid; full_name: string; phone: string; email: string | null; relation: "father" | "mother" | "other" | null }

export type Subject = { id: Ulid; name: string; code: string | null }

export type Grade = { id: Ulid; name: string; level: number | null }

export type Section = { id: Ulid; name: string; grade_id: Ulid | null }

export type AcademicYear = { id: Ulid; name: string; starts_on: string; ends_on: string }

export type Term = { id: Ulid; name: string; academic_year_id: Ulid }

export type FaceEmbedding = { person_type: "student" | "employee"; person_id: Ulid; model: string; dimensions: number; captures_count: number; registered_at: string; embedding: number[] }

export type Curriculum = { subject_id: Ulid; term_id: Ulid; status: "published"; textbook_url: string | null; weeks: Week[] }

export type Week = { number: number | null; position: number; starts_on: string; ends_on: string; kind: "study" | "holiday" | "exam"; label: string | null; lessons: Lesson[] }

export type Lesson = { position: number; unit: string | null; title: string; kind: string; sessions: number; content: string | null; session_of_lesson: number | null; sessions_in_lesson: number }

export type Employee = { id: Ulid; full_name: string; job_title: string | null; email: string | null }

export type Country = { id: Ulid; code: string; name_ar: string; name_en: string; calling_code: string; timezone: string | null }

export type EducationLevel = { id: Ulid; country_code: string; name_ar: string; name_en: string; position: number }

export type Enquiry = { id: Ulid; name: string; phone: string | null; email: string | null; message: string; created_at: string }

/** What a client needs to know. */
export type PartnerClientOptions = {
  /** Address of the runtime API, ending in `/apps`. */
  baseUrl: string
  /** The installation token. Keep it on your server: it must never reach a browser. */
  token: string
  /** Language of messages. */
  language?: 'en' | 'ar'
  /** How often a request is tried again after 429, 5xx or a broken connection; 4 unless given. */
  retries?: number
  /**
   * Milliseconds that one try may take, its body included; 60,000 unless given. The platform itself gives up after 35 s at
   * most and says so with 503, which a shorter time would miss.
   */
  timeoutMs?: number
  fetch?: typeof fetch
}

type ErrorBody = { message?: string; error?: string; scope?: string; errors?: Record<string, string[]> }

/**
 * A refusal of the platform, or an answer of something else that stands between you and it: a 2xx without a JSON object is
 * one too. `code` never changes; `message` is for people.
 */
export class PartnerApiError extends Error {
  override name = 'PartnerApiError'
  readonly status: number
  /** For example `scope_not_granted`, or `unavailable` on 503. Null on 500 and where the platform was not reached. */
  readonly code: string | null
  /** On `scope_not_granted`: the missing scope. */
  readonly scope: string | null
  /** On `invalid_data`: messages by field. */
  readonly errors: Record<string, string[]>
  /** Quote it to support. */
  readonly requestId: string | null
  constructor(response: Response, body: ErrorBody) {
    super(body.message ?? `HTTP ${response.status}`)
    this.status = response.status
    this.code = body.error ?? null
    this.scope = body.scope ?? null
    this.errors = body.errors ?? {}
    this.requestId = response.headers.get('x-request-id')
  }
}

/** For one call: `idempotencyKey` replaces the one made for each write, `signal` ends it. */
export type CallOptions = { idempotencyKey?: string; signal?: AbortSignal }

type Fields = Record<string, unknown>
type Call = <Result>(method: string, path: string, input?: Fields, options?: CallOptions) => Promise<Result>

const longestPause = 60_000

/** Sends requests; a write carries the same idempotency key at each try, so that it is executed once. */
function createCall(options: PartnerClientOptions): Call {
  const { baseUrl, token, language = 'en', retries = 4, timeoutMs = 60_000, fetch: send = fetch } = options
  return async <Result>(
    method: string,
    path: string,
    input: Fields = {},
    { idempotencyKey, signal }: CallOptions = {},
  ) => {
    const { url, rest } = fill(baseUrl.replace(/\/$/, '') + path, input)
    const headers: Record<string, string> = { authorization: `Bearer ${token}`, 'accept-language': language }
    const init: RequestInit = { method, headers }
    if (method !== 'GET') {
      headers['content-type'] = 'application/json'
      headers['idempotency-key'] = idempotencyKey ?? crypto.randomUUID()
      init.body = JSON.stringify(rest)
    }
    const target = method === 'GET' ? url + queryOf(rest) : url
    // A wrong address, token or key throws here, and is not tried again like a broken connection.
    void new Request(target, init)
    for (let attempt = 0; ; attempt++) {
      const timeout = AbortSignal.timeout(timeoutMs)
      const answer = await send(target, { ...init, signal: signal ? AbortSignal.any([signal, timeout]) : timeout })
        .then(readWhole)
        .catch((error: unknown) => {
          if (attempt >= retries || signal?.aborted) throw error
          return null
        })
      if (answer?.response.ok) return resultOf(answer) as Result
      if (answer && (attempt >= retries || !isTransient(answer.response)))
        throw new PartnerApiError(answer.response, (objectOf(answer.text) ?? {}) as ErrorBody)
      await pause(answer?.response.headers.get('retry-after') ?? null, attempt, signal)
    }
  }
}

type Answer = { response: Response; text: string }

/** A connection may break while the body arrives. */
const readWhole = async (response: Response): Promise<Answer> => ({ response, text: await response.text() })

function resultOf({ response, text }: Answer): Fields {
  const result = objectOf(text)
  if (!result) throw new PartnerApiError(response, { message: `HTTP ${response.status} without a JSON object` })
  return result
}

/** Every answer of the platform is an object; what stands between you and it may answer with anything. */
function objectOf(text: string): Fields | null {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && !Array.isArray(value) ? (value as Fields | null) : null
  } catch {
    return null
  }
}

const isTransient = ({ status, headers }: Response): boolean =>
  status === 429 || status >= 500 || (status === 409 && headers.has('retry-after'))

/** As long as the platform asks for, else twice as long at each attempt, with a random part. */
function pause(retryAfter: string | null, attempt: number, signal: AbortSignal | undefined): Promise<void> {
  const asked = retryAfter === null ? Number.NaN : Number(retryAfter) * 1_000
  const backOff = 250 * 2 ** attempt * (0.5 + Math.random())
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted()
    const stop = () => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const go = () => {
      signal?.removeEventListener('abort', stop)
      resolve()
    }
    const timer = setTimeout(go, Math.min(Number.isFinite(asked) ? asked : backOff, longestPause))
    signal?.addEventListener('abort', stop, { once: true })
  })
}

function fill(path: string, input: Fields): { url: string; rest: Fields } {
  const rest = { ...input }
  const url = path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = rest[name]
    delete rest[name]
    return segmentOf(String(value))
  })
  return { url, rest }
}

/** What an address would fold away becomes an id that no record has: not found, and not the answer of another path. */
const segmentOf = (text: string): string => (/^\.{0,2}$/.test(text) ? '-' : encodeURIComponent(text))

function queryOf(fields: Fields): string {
  const given = Object.entries(fields).filter(([, value]) => value !== undefined)
  return given.length === 0
    ? ''
    : `?${new URLSearchParams(given.map(([name, value]): [string, string] => [name, String(value)]))}`
}

/** The items of all pages, one after another. Driven by `total`, since a page may show fewer items than it counts. */
async function* everyItem<Item>(
  list: (input: Fields) => Promise<unknown>,
  input: Fields = {},
  key: string,
): AsyncGenerator<Item> {
  const perPage = Number(input.per_page ?? 100)
  for (let page = Number(input.page ?? 1), total = Number.POSITIVE_INFINITY; (page - 1) * perPage < total; page++) {
    const answer = (await list({ ...input, page, per_page: perPage })) as { total: number } & Record<string, Item[]>
    total = answer.total
    yield* answer[key] as Item[]
  }
}

/** The runtime API for one installation. A refusal is thrown as PartnerApiError. */
export type PartnerClient = {
  identity: {
    /** Identify the installation. */
    whoami: (options?: CallOptions) => Promise<{ tenant_id: number; module: string; scopes: string[] }>
  },
  tenant: {
    /** Read the tenant's clock. `timezone` is the value to store; `offset` describes the present moment only. */
    clock: (options?: CallOptions) => Promise<TenantClock>
  },
  education: {
    students: {
      /** List students. Scope: `education.students.read`. */
      list: (input?: { page?: number; per_page?: number; search?: string; grade_id?: Ulid; section_id?: Ulid }, options?: CallOptions) => Promise<{ data: Student[]; total: number; per_page: number; current_page: number; last_page: number }>
      /** List students: the items of all pages, fetched as they are needed. */
      all: (input?: { page?: number; per_page?: number; search?: string; grade_id?: Ulid; section_id?: Ulid }, options?: CallOptions) => AsyncGenerator<Student>
      /** Get a student. Scope: `education.students.read`. */
      get: (input: { id: string }, options?: CallOptions) => Promise<{ student: Student }>
      /** Create a student. Scope: `education.students.write`. */
      create: (input: { full_name: string; national_id?: string | null; birth_date?: string | null; gender?: "male" | "female" | null; grade_id?: Ulid | null; section_id?: Ulid | null; guardian_id?: Ulid | null }, options?: CallOptions) => Promise<{ student: Student }>
      /** Update a student. Scope: `education.students.write`. */
      update: (input: { full_name?: string; national_id?: string | null; birth_date?: string | null; gender?: "male" | "female" | null; grade_id?: Ulid | null; section_id?: Ulid | null; guardian_id?: Ulid | null; id: string }, options?: CallOptions) => Promise<{ student: Student }>
    },
    guardians: {
      /** List guardians. Scope: `education.guardians.read`. */
      list: (input?: { page?: number; per_page?: number; search?: string }, options?: CallOptions) => Promise<{ data: Guardian[]; total: number; per_page: number; current_page: number; last_page: number }>
      /** List guardians: the items of all pages, fetched as they are needed. */
      all: (input?: { page?: number; per_page?: number; search?: string }, options?: CallOptions) => AsyncGenerator<Guardian>
      /** Get a guardian. Scope: `education.guardians.read`. */
      get: (input: { id: string }, options?: CallOptions) => Promise<{ guardian: Guardian }>
      /** Create a guardian. Scope: `education.guardians.write`. */
      create: (input: { full_name: string; phone: string; email?: string | null; relation?: "father" | "mother" | "other" | null }, options?: CallOptions) => Promise<{ guardian: Guardian }>
      /** Update a guardian. Scope: `education.guardians.write`. */
      update: (input: { full_name?: string; phone?: string; email?: string | null; relation?: "father" | "mother" | "other" | null; id: string }, options?: CallOptions) => Promise<{ guardian: Guardian }>
    },
    subjects: {
      /** List subjects. Scope: `education.subjects.read`. */
      list: (input?: { page?: number; per_page?: number; search?: string }, options?: CallOptions) => Promise<{ data: Subject[]; total: number; per_page: number; current_page: number; last_page: number }>
      /** List subjects: the items of all pages, fetched as they are needed. */
      all: (input?: { page?: number; per_page?: number; search?: string }, options?: CallOptions) => AsyncGenerator<Subject>
      /** Get a subject. Scope: `education.subjects.read`. */
      get: (input: { id: string }, options?: CallOptions) => Promise<{ subject: Subject }>
      /** Create a subject. Scope: `education.subjects.write`. */
      create: (input: { name: string; code?: string | null }, options?: CallOptions) => Promise<{ subject: Subject }>
      /** Update a subject. Scope: `education.subjects.write`. */
      update: (input: { name?: string; code?: string | null; id: string }, options?: CallOptions) => Promise<{ subject: Subject }>
    },
    grades: {
      /** List grades. Scope: `education.grades.read`. */
      list: (input?: { page?: number; per_page?: number; search?: string }, options?: CallOptions) => Promise<{ data: Grade[]; total: number; per_page: number; current_page: number; last_page: number }>
      /** List grades: the items of all pages, fetched as they are needed. */
      all: (input?: { page?: number; per_page?: number; search?: string }, options?: CallOptions) => AsyncGenerator<Grade>
      /** Get a grade. Scope: `education.grades.read`. */
      get: (input: { id: string }, options?: CallOptions) => Promise<{ grade: Grade }>
      /** Create a grade. Scope: `education.grades.write`. */
      create: (input: { name: string; level?: number | null }, options?: CallOptions) => Promise<{ grade: Grade }>
      /** Update a grade. Scope: `education.grades.write`. */
      update: (input: { name?: string; level?: number | null; id: string }, options?: CallOptions) => Promise<{ grade: Grade }>
    },
    sections: {
      /** List sections. Scope: `education.sections.read`. */
      list: (input?: { page?: number; per_page?: number; search?: string; grade_id?: Ulid }, options?: CallOptions) => Promise<{ data: Section[]; total: number; per_page: number; current_page: number; last_page: number }>
      /** List sections: the items of all pages, fetched as they are needed. */
      all: (input?: { page?: number; per_page?: number; search?: string; grade_id?: Ulid }, options?: CallOptions) => AsyncGenerator<Section>
      /** Get a section. Scope: `education.sections.read`. */
      get: (input: { id: string }, options?: CallOptions) => Promise<{ section: Section }>
      /** Create a section. Scope: `education.sections.write`. */
      create: (input: { name: string; grade_id?: Ulid | null }, options?: CallOptions) => Promise<{ section: Section }>
      /** Update a section. Scope: `education.sections.write`. */
      update: (input: { name?: string; grade_id?: Ulid | null; id: string }, options?: CallOptions) => Promise<{ section: Section }>
    },
    academic_years: {
      /** List academic years. Scope: `education.academic_years.read`. */
      list: (input?: { page?: number; per_page?: number; search?: string }, options?: CallOptions) => Promise<{ data: AcademicYear[]; total: number; per_page: number; current_page: number; last_page: number }>
      /** List academic years: the items of all pages, fetched as they are needed. */
      all: (input?: { page?: number; per_page?: number; search?: string }, options?: CallOptions) => AsyncGenerator<AcademicYear>
    },
    terms: {
      /** List terms. Scope: `education.terms.read`. */
      list: (input?: { page?: number; per_page?: number; search?: string }, options?: CallOptions) => Promise<{ data: Term[]; total: number; per_page: number; current_page: number; last_page: number }>
      /** List terms: the items of all pages, fetched as they are needed. */
      all: (input?: { page?: number; per_page?: number; search?: string }, options?: CallOptions) => AsyncGenerator<Term>
    },
    face_embeddings: {
      /** List face embeddings. `count` is the number of records on this page after dropping released students and rows that cannot be decrypted; `total` is what the tenant holds. Drive paging by `total`. Scope: `education.face_embeddings.read`. */
      list: (input: { model: string; person_type?: "student" | "employee"; page?: number; per_page?: number }, options?: CallOptions) => Promise<{ model: string; count: number; total: number; people: FaceEmbedding[] }>
      /** List face embeddings: the items of all pages, fetched as they are needed. */
      all: (input: { model: string; person_type?: "student" | "employee"; page?: number; per_page?: number }, options?: CallOptions) => AsyncGenerator<FaceEmbedding>
    },
    curriculum: {
      /** Get a subject's published curriculum. Where a subject has one in several terms: that of `term_id`, else the one that holds today, else the last. Scope: `education.curriculum.read`. */
      get: (input: { id: string; term_id?: Ulid }, options?: CallOptions) => Promise<{ curriculum: Curriculum }>
      /** Resolve a session of a subject to its lesson. Answers 200 with `resolved: false` and one `reason` where no lesson can be named. `date` is today on the tenant's clock where it is not given. Scope: `education.curriculum.read`. */
      session: (input: { id: string; date?: string; session_index?: number }, options?: CallOptions) => Promise<{ subject_id: Ulid; date: string; session_index: number | null; resolved: boolean; reason: "week_holiday" | "week_exam" | "week_not_planned" | "beyond_planned_sessions" | "session_index_missing" | "no_week_for_date" | null; week: Week | null; lesson: Lesson | null }>
    },
  },
  employees: {
    directory: {
      /** List employees. Scope: `employees.directory.read`. */
      list: (input?: { page?: number; per_page?: number; search?: string }, options?: CallOptions) => Promise<{ data: Employee[]; total: number; per_page: number; current_page: number; last_page: number }>
      /** List employees: the items of all pages, fetched as they are needed. */
      all: (input?: { page?: number; per_page?: number; search?: string }, options?: CallOptions) => AsyncGenerator<Employee>
      /** Get an employee. Scope: `employees.directory.read`. */
      get: (input: { id: string }, options?: CallOptions) => Promise<{ employee: Employee }>
      /** Create an employee. Scope: `employees.directory.write`. */
      create: (input: { full_name: string; job_title?: string | null; email?: string | null }, options?: CallOptions) => Promise<{ employee: Employee }>
      /** Update an employee. Scope: `employees.directory.write`. */
      update: (input: { full_name?: string; job_title?: string | null; email?: string | null; id: string }, options?: CallOptions) => Promise<{ employee: Employee }>
    },
  },
  countries: {
    directory: {
      /** List countries. Scope: `countries.directory.read`. */
      list: (input?: { page?: number; per_page?: number; search?: string }, options?: CallOptions) => Promise<{ data: Country[]; total: number; per_page: number; current_page: number; last_page: number }>
      /** List countries: the items of all pages, fetched as they are needed. */
      all: (input?: { page?: number; per_page?: number; search?: string }, options?: CallOptions) => AsyncGenerator<Country>
    },
    education_levels: {
      /** List education levels. Scope: `countries.education_levels.read`. */
      list: (input?: { page?: number; per_page?: number; search?: string; country_code?: string }, options?: CallOptions) => Promise<{ data: EducationLevel[]; total: number; per_page: number; current_page: number; last_page: number }>
      /** List education levels: the items of all pages, fetched as they are needed. */
      all: (input?: { page?: number; per_page?: number; search?: string; country_code?: string }, options?: CallOptions) => AsyncGenerator<EducationLevel>
    },
  },
  contacts: {
    enquiries: {
      /** List enquiries. Scope: `contacts.enquiries.read`. */
      list: (input?: { page?: number; per_page?: number; search?: string }, options?: CallOptions) => Promise<{ data: Enquiry[]; total: number; per_page: number; current_page: number; last_page: number }>
      /** List enquiries: the items of all pages, fetched as they are needed. */
      all: (input?: { page?: number; per_page?: number; search?: string }, options?: CallOptions) => AsyncGenerator<Enquiry>
      /** Create an enquiry. Scope: `contacts.enquiries.write`. */
      create: (input: { name: string; phone?: string | null; email?: string | null; message: string }, options?: CallOptions) => Promise<{ enquiry: Enquiry }>
    },
  },
}

export function createPartnerClient(options: PartnerClientOptions): PartnerClient {
  const call = createCall(options)
  return {
    identity: {
      whoami: (options) => call('GET', '/whoami', {}, options),
    },
    tenant: {
      clock: (options) => call('GET', '/tenant/clock', {}, options),
    },
    education: {
      students: {
        list: (input, options) => call('GET', '/education/students', input, options),
        all: (input, options) => everyItem((page) => call('GET', '/education/students', page, options), input, 'data'),
        get: (input, options) => call('GET', '/education/students/{id}', input, options),
        create: (input, options) => call('POST', '/education/students', input, options),
        update: (input, options) => call('PATCH', '/education/students/{id}', input, options),
      },
      guardians: {
        list: (input, options) => call('GET', '/education/guardians', input, options),
        all: (input, options) => everyItem((page) => call('GET', '/education/guardians', page, options), input, 'data'),
        get: (input, options) => call('GET', '/education/guardians/{id}', input, options),
        create: (input, options) => call('POST', '/education/guardians', input, options),
        update: (input, options) => call('PATCH', '/education/guardians/{id}', input, options),
      },
      subjects: {
        list: (input, options) => call('GET', '/education/subjects', input, options),
        all: (input, options) => everyItem((page) => call('GET', '/education/subjects', page, options), input, 'data'),
        get: (input, options) => call('GET', '/education/subjects/{id}', input, options),
        create: (input, options) => call('POST', '/education/subjects', input, options),
        update: (input, options) => call('PATCH', '/education/subjects/{id}', input, options),
      },
      grades: {
        list: (input, options) => call('GET', '/education/grades', input, options),
        all: (input, options) => everyItem((page) => call('GET', '/education/grades', page, options), input, 'data'),
        get: (input, options) => call('GET', '/education/grades/{id}', input, options),
        create: (input, options) => call('POST', '/education/grades', input, options),
        update: (input, options) => call('PATCH', '/education/grades/{id}', input, options),
      },
      sections: {
        list: (input, options) => call('GET', '/education/sections', input, options),
        all: (input, options) => everyItem((page) => call('GET', '/education/sections', page, options), input, 'data'),
        get: (input, options) => call('GET', '/education/sections/{id}', input, options),
        create: (input, options) => call('POST', '/education/sections', input, options),
        update: (input, options) => call('PATCH', '/education/sections/{id}', input, options),
      },
      academic_years: {
        list: (input, options) => call('GET', '/education/academic-years', input, options),
        all: (input, options) => everyItem((page) => call('GET', '/education/academic-years', page, options), input, 'data'),
      },
      terms: {
        list: (input, options) => call('GET', '/education/terms', input, options),
        all: (input, options) => everyItem((page) => call('GET', '/education/terms', page, options), input, 'data'),
      },
      face_embeddings: {
        list: (input, options) => call('GET', '/education/face-embeddings', input, options),
        all: (input, options) => everyItem((page) => call('GET', '/education/face-embeddings', page, options), input, 'people'),
      },
      curriculum: {
        get: (input, options) => call('GET', '/education/subjects/{id}/curriculum', input, options),
        session: (input, options) => call('GET', '/education/subjects/{id}/curriculum/session', input, options),
      },
    },
    employees: {
      directory: {
        list: (input, options) => call('GET', '/employees/directory', input, options),
        all: (input, options) => everyItem((page) => call('GET', '/employees/directory', page, options), input, 'data'),
        get: (input, options) => call('GET', '/employees/directory/{id}', input, options),
        create: (input, options) => call('POST', '/employees/directory', input, options),
        update: (input, options) => call('PATCH', '/employees/directory/{id}', input, options),
      },
    },
    countries: {
      directory: {
        list: (input, options) => call('GET', '/countries/directory', input, options),
        all: (input, options) => everyItem((page) => call('GET', '/countries/directory', page, options), input, 'data'),
      },
      education_levels: {
        list: (input, options) => call('GET', '/countries/education-levels', input, options),
        all: (input, options) => everyItem((page) => call('GET', '/countries/education-levels', page, options), input, 'data'),
      },
    },
    contacts: {
      enquiries: {
        list: (input, options) => call('GET', '/contacts/enquiries', input, options),
        all: (input, options) => everyItem((page) => call('GET', '/contacts/enquiries', page, options), input, 'data'),
        create: (input, options) => call('POST', '/contacts/enquiries', input, options),
      },
    },
  }
}
