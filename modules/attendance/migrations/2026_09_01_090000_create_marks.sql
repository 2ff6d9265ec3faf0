-- One mark for each student and day. The platform adds the school to every key and hides other schools' rows.
create table marks (
  id char(26) primary key,
  student_id char(26) not null,
  section_id char(26) not null,
  student_name text not null,
  day date not null,
  status text not null check (status in ('present', 'absent', 'late', 'excused')),
  recorded_at timestamptz not null default now(),
  unique (student_id, day)
);

comment on column marks.student_id is 'core_reference:students';
comment on column marks.section_id is 'core_reference:sections';

create index marks_by_day on marks (day, section_id);
