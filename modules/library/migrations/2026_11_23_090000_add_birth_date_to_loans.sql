-- Which of several children of one name has the book. Loans from before have none.
alter table loans add column student_birth_date date;
