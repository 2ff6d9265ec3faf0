-- What a letter is, and its lower case, must not depend on the locale of the database: in "C" no Arabic name had any word.

create or replace function core.fold(text) returns text language sql immutable strict parallel safe as $$
  select pg_catalog.translate(pg_catalog.lower($1 collate pg_catalog.pg_c_utf8),
    'أإآٱىة٠١٢٣٤٥٦٧٨٩۰۱۲۳۴۵۶۷۸۹ـًٌٍَُِّْٰ', 'اااايه01234567890123456789')
$$;

create or replace function core.words(names text[], whole text[]) returns setof text language sql immutable parallel safe as $$
  select distinct pg_catalog.left(word, 64) from (
    select pg_catalog.regexp_split_to_table(core.fold(name) collate pg_catalog.pg_c_utf8, '[^[:alnum:]]+')
      from pg_catalog.unnest(names) name
    union all select core.fold(text) from pg_catalog.unnest(whole) text
  ) all_words(word) where word <> ''
$$;

-- The words of what is there already are made anew by its triggers, where another locale made them.
do $$ begin
  if exists (select from pg_database where datname = current_database() and datlocale is distinct from 'C.UTF-8') then
    update core.students set full_name = full_name;
    update core.guardians set full_name = full_name;
    update core.employees set full_name = full_name;
    update core.subjects set name = name;
    update core.grades set name = name;
    update core.sections set name = name;
    update core.academic_years set name = name;
    update core.terms set name = name;
    update core.enquiries set name = name;
    update core.countries set name_ar = name_ar;
    update core.education_levels set name_ar = name_ar;
  end if;
end $$;
