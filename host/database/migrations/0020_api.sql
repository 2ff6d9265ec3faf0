-- What the runtime API keeps besides the school's records.

-- Searching the platform's own lists, which belong to no tenant.
create table core.shared_search_words (
  resource text collate "C" not null,
  word text collate "C" not null,
  record_id text collate "C" not null,
  primary key (resource, word, record_id)
);

create function core.index_shared_words() returns trigger language plpgsql set search_path = pg_catalog as $$
begin
  delete from core.shared_search_words s where s.resource = tg_argv[0] and s.record_id = new.id;
  insert into core.shared_search_words select tg_argv[0], word, new.id from core.words(
    array(select to_jsonb(new) ->> unnest(string_to_array(tg_argv[1], ','))),
    array(select to_jsonb(new) ->> unnest(string_to_array(tg_argv[2], ',')))) word;
  return null;
end $$;

create trigger words after insert or update on core.countries
  for each row execute function core.index_shared_words('countries', 'name_ar,name_en', 'code');
create trigger words after insert or update on core.education_levels
  for each row execute function core.index_shared_words('education_levels', 'name_ar,name_en', 'country_code');

create table core.enquiries (
  tenant_id text collate "C" not null references core.tenants,
  id text collate "C" not null,
  name text not null,
  phone text,
  email text,
  message text not null,
  created_at timestamptz not null default now(),
  primary key (tenant_id, id)
);
call core.protect('core.enquiries');
create trigger words after insert or update of name, phone, email on core.enquiries
  for each row execute function core.index_words('enquiries', 'name', 'phone,email');

-- Requests of an address in the minute `minute` (minutes since 1970). Not worth a disk write: a crash forgets a minute.
create unlogged table core.address_counts (
  address text collate "C" primary key,
  minute bigint not null,
  used integer not null
);
