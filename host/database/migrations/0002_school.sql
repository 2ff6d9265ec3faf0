-- The school's records. tenant_id leads every key.

create table core.academic_years (
  tenant_id text collate "C" not null references core.tenants,
  id text collate "C" not null,
  name text not null,
  starts_on date not null,
  ends_on date not null,
  primary key (tenant_id, id)
);
call core.protect('core.academic_years');

create table core.terms (
  tenant_id text collate "C" not null,
  id text collate "C" not null,
  name text not null,
  academic_year_id text collate "C" not null,
  primary key (tenant_id, id),
  foreign key (tenant_id, academic_year_id) references core.academic_years
);
call core.protect('core.terms');

create table core.grades (
  tenant_id text collate "C" not null references core.tenants,
  id text collate "C" not null,
  name text not null,
  level integer,
  primary key (tenant_id, id)
);
call core.protect('core.grades');

create table core.sections (
  tenant_id text collate "C" not null,
  id text collate "C" not null,
  name text not null,
  grade_id text collate "C",
  primary key (tenant_id, id),
  foreign key (tenant_id, grade_id) references core.grades
);
create index sections_by_grade on core.sections (tenant_id, grade_id);
call core.protect('core.sections');

create table core.subjects (
  tenant_id text collate "C" not null references core.tenants,
  id text collate "C" not null,
  name text not null,
  code text,
  primary key (tenant_id, id)
);
call core.protect('core.subjects');

create table core.guardians (
  tenant_id text collate "C" not null references core.tenants,
  id text collate "C" not null,
  full_name text not null,
  phone text not null,
  email text,
  relation text check (relation in ('father', 'mother', 'other')),
  primary key (tenant_id, id)
);
call core.protect('core.guardians');

create table core.students (
  tenant_id text collate "C" not null references core.tenants,
  id text collate "C" not null,
  full_name text not null,
  national_id text,
  birth_date date,
  gender text check (gender in ('male', 'female')),
  grade_id text collate "C",
  section_id text collate "C",
  guardian_id text collate "C",
  -- Released students left the school; their biometric records are no longer handed out.
  released_at timestamptz,
  primary key (tenant_id, id),
  foreign key (tenant_id, grade_id) references core.grades,
  foreign key (tenant_id, section_id) references core.sections,
  foreign key (tenant_id, guardian_id) references core.guardians
);
create index students_by_grade on core.students (tenant_id, grade_id, id);
create index students_by_section on core.students (tenant_id, section_id, id);
create index students_by_guardian on core.students (tenant_id, guardian_id);
call core.protect('core.students');

create table core.employees (
  tenant_id text collate "C" not null references core.tenants,
  id text collate "C" not null,
  full_name text not null,
  job_title text,
  email text,
  -- Role keys inside the tenant: what the viewer's `roles` shows.
  roles text[] not null default '{}',
  primary key (tenant_id, id)
);
call core.protect('core.employees');

-- The beginnings by which records are found. Kept by triggers, so that no writer can forget it.
create table core.search_words (
  tenant_id text collate "C" not null,
  resource text collate "C" not null,
  word text collate "C" not null,
  record_id text collate "C" not null,
  primary key (tenant_id, resource, word, record_id)
);
create index search_words_by_record on core.search_words (tenant_id, resource, record_id);
call core.protect('core.search_words');

-- Every text of `names` is cut into words; `whole` texts (phone, e-mail, national id) are found from their beginning only.
create function core.words(names text[], whole text[]) returns setof text language sql immutable parallel safe as $$
  select distinct pg_catalog.left(word, 64) from (
    select pg_catalog.regexp_split_to_table(core.fold(name), '[^[:alnum:]]+') from pg_catalog.unnest(names) name
    union all select core.fold(text) from pg_catalog.unnest(whole) text
  ) all_words(word) where word <> ''
$$;

create function core.index_words() returns trigger language plpgsql set search_path = pg_catalog as $$
declare
  resource_name text := tg_argv[0];
  wanted text[];
begin
  wanted := array(select core.words(
    array(select to_jsonb(new) ->> unnest(string_to_array(tg_argv[1], ','))),
    array(select to_jsonb(new) ->> unnest(string_to_array(tg_argv[2], ',')))));
  if tg_op = 'UPDATE' then
    delete from core.search_words s
      where s.tenant_id = new.tenant_id and s.resource = resource_name and s.record_id = new.id and s.word <> all (wanted);
    insert into core.search_words select new.tenant_id, resource_name, w, new.id from unnest(wanted) w on conflict do nothing;
  else
    insert into core.search_words select new.tenant_id, resource_name, w, new.id from unnest(wanted) w;
  end if;
  return null;
end $$;

create trigger words after insert or update of full_name, national_id on core.students
  for each row execute function core.index_words('students', 'full_name', 'national_id');
create trigger words after insert or update of full_name, phone, email on core.guardians
  for each row execute function core.index_words('guardians', 'full_name', 'phone,email');
create trigger words after insert or update of full_name, job_title, email on core.employees
  for each row execute function core.index_words('employees', 'full_name,job_title', 'email');
create trigger words after insert or update of name, code on core.subjects
  for each row execute function core.index_words('subjects', 'name', 'code');
create trigger words after insert or update of name on core.grades
  for each row execute function core.index_words('grades', 'name', '');
create trigger words after insert or update of name on core.sections
  for each row execute function core.index_words('sections', 'name', '');
create trigger words after insert or update of name on core.academic_years
  for each row execute function core.index_words('academic_years', 'name', '');
create trigger words after insert or update of name on core.terms
  for each row execute function core.index_words('terms', 'name', '');

create table core.curricula (
  tenant_id text collate "C" not null,
  id text collate "C" not null,
  subject_id text collate "C" not null,
  term_id text collate "C" not null,
  status text not null check (status in ('draft', 'published')),
  textbook_url text,
  primary key (tenant_id, id),
  foreign key (tenant_id, subject_id) references core.subjects,
  foreign key (tenant_id, term_id) references core.terms
);
create unique index curricula_one_published on core.curricula (tenant_id, subject_id, term_id) where status = 'published';
call core.protect('core.curricula');

create table core.curriculum_weeks (
  tenant_id text collate "C" not null,
  curriculum_id text collate "C" not null,
  -- The fixed place in the term, holidays included; `number` counts study weeks only and is null for a holiday box.
  position integer not null,
  number integer,
  starts_on date not null,
  ends_on date not null,
  kind text not null check (kind in ('study', 'holiday', 'exam')),
  label text,
  primary key (tenant_id, curriculum_id, position),
  foreign key (tenant_id, curriculum_id) references core.curricula
);
call core.protect('core.curriculum_weeks');

create table core.curriculum_lessons (
  tenant_id text collate "C" not null,
  curriculum_id text collate "C" not null,
  week_position integer not null,
  position integer not null,
  unit text,
  title text not null,
  kind text not null,
  -- How many sessions of the week this lesson takes.
  sessions integer not null check (sessions > 0),
  content text,
  primary key (tenant_id, curriculum_id, week_position, position),
  foreign key (tenant_id, curriculum_id, week_position) references core.curriculum_weeks
);
call core.protect('core.curriculum_lessons');

create table core.face_embeddings (
  tenant_id text collate "C" not null references core.tenants,
  id text collate "C" not null,
  person_type text not null check (person_type in ('student', 'employee')),
  person_id text collate "C" not null,
  model text not null,
  dimensions integer not null,
  captures_count integer not null,
  registered_at timestamptz not null,
  -- The vector as 32-bit floats, under the tenant's key.
  embedding_encrypted bytea not null,
  primary key (tenant_id, id)
);
create index face_embeddings_by_model on core.face_embeddings (tenant_id, model, id);
call core.protect('core.face_embeddings');
