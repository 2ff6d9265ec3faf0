-- Books and their loans. The platform adds the school to every key and hides other schools' rows.
create table books (
  id char(26) primary key,
  title text not null,
  author text not null,
  isbn text,
  copies integer not null check (copies between 1 and 1000),
  lent integer not null default 0,
  check (lent between 0 and copies)
);

create index books_by_title on books (title, id);

create table loans (
  id char(26) primary key,
  book_id char(26) not null references books (id),
  student_id char(26) not null,
  student_name text not null,
  lent_on date not null,
  due_on date not null check (due_on >= lent_on),
  returned_at timestamptz
);

comment on column loans.student_id is 'core_reference:students';

create index loans_by_book on loans (book_id);
create index open_loans_by_due on loans (due_on, id) where returned_at is null;
create index open_loans_by_student on loans (student_id) where returned_at is null;
