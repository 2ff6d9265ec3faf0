-- Which of several students of one name was absent. Marks from before have none.
alter table marks add column student_birth_date date;
