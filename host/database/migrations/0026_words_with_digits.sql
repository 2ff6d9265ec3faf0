-- Names hold Arabic-Indic digits ("الصف ١"), which are no letters of a word to PostgreSQL and are typed in either form.

create or replace function core.fold(text) returns text language sql immutable strict parallel safe as $$
  select pg_catalog.translate(pg_catalog.lower($1), 'أإآٱىة٠١٢٣٤٥٦٧٨٩۰۱۲۳۴۵۶۷۸۹ـًٌٍَُِّْٰ', 'اااايه01234567890123456789')
$$;

-- The words of what is there already are made anew by its triggers.
update core.students set full_name = full_name where concat(full_name, national_id) ~ '[٠-٩۰-۹]';
update core.guardians set full_name = full_name where full_name ~ '[٠-٩۰-۹]';
update core.employees set full_name = full_name where concat(full_name, job_title) ~ '[٠-٩۰-۹]';
update core.subjects set name = name where concat(name, code) ~ '[٠-٩۰-۹]';
update core.grades set name = name where name ~ '[٠-٩۰-۹]';
update core.sections set name = name where name ~ '[٠-٩۰-۹]';
update core.academic_years set name = name where name ~ '[٠-٩۰-۹]';
update core.terms set name = name where name ~ '[٠-٩۰-۹]';
update core.enquiries set name = name where name ~ '[٠-٩۰-۹]';
