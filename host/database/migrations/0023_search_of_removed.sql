-- Searches count words alone, so the words of a removed record must go with it.

create function core.forget_words() returns trigger language plpgsql set search_path = pg_catalog as $$
begin
  delete from core.search_words s
    where s.tenant_id = old.tenant_id and s.resource = tg_table_name and s.record_id = old.id;
  return null;
end $$;

create trigger words_of_removed after delete on core.students for each row execute function core.forget_words();
create trigger words_of_removed after delete on core.guardians for each row execute function core.forget_words();
create trigger words_of_removed after delete on core.employees for each row execute function core.forget_words();
create trigger words_of_removed after delete on core.subjects for each row execute function core.forget_words();
create trigger words_of_removed after delete on core.grades for each row execute function core.forget_words();
create trigger words_of_removed after delete on core.sections for each row execute function core.forget_words();
create trigger words_of_removed after delete on core.academic_years for each row execute function core.forget_words();
create trigger words_of_removed after delete on core.terms for each row execute function core.forget_words();
create trigger words_of_removed after delete on core.enquiries for each row execute function core.forget_words();
