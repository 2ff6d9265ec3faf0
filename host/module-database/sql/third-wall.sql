-- The third wall behind guard and grants: what an owner role may define is an allow-list of commands, and no transaction
-- of such a role commits with a table that leaves a way around the tenant. Superuser only: modules cannot drop it.
create table if not exists module_host.touched (
  backend integer not null default pg_catalog.pg_backend_pid(),
  relation oid not null,
  primary key (backend, relation)
);
revoke all on module_host.touched from public;

create or replace function module_host.refuse_command() returns event_trigger language plpgsql security definer
set search_path = pg_catalog, pg_temp as $$
begin
  if tg_tag <> all (array['CREATE TABLE', 'ALTER TABLE', 'DROP TABLE', 'CREATE INDEX', 'ALTER INDEX', 'DROP INDEX',
      'CREATE SEQUENCE', 'ALTER SEQUENCE', 'DROP SEQUENCE', 'COMMENT', 'CREATE TYPE', 'ALTER TYPE', 'DROP TYPE',
      'CREATE POLICY'])
    and exists (select from module_host.modules m where m.owner = session_user)
    or exists (select from module_host.modules m where m.runtime = session_user)
  then
    raise exception 'a module may not run %', tg_tag using errcode = '42501';
  end if;
end $$;

create or replace function module_host.note_touched() returns event_trigger language plpgsql security definer
set search_path = pg_catalog, pg_temp as $$
begin
  if exists (select from module_host.modules m where m.owner = session_user) then
    -- One look-up by key for each object: a join would read the whole catalogs at every command.
    insert into module_host.touched (relation)
    select distinct coalesce(
      (select i.indrelid from pg_index i where c.classid = 'pg_class'::regclass and i.indexrelid = c.objid),
      (select p.polrelid from pg_policy p where c.classid = 'pg_policy'::regclass and p.oid = c.objid),
      c.objid)
    from pg_event_trigger_ddl_commands() c
    where c.objid <> 0
    on conflict do nothing;
  end if;
end $$;

create or replace function module_host.audit_touched() returns trigger language plpgsql security definer
set search_path = pg_catalog, pg_temp as $$
begin
  perform module_host.audit_table(new.relation);
  delete from module_host.touched where backend = new.backend and relation = new.relation;
  return null;
end $$;

-- Deferred: it judges what commits, in whatever order the statements came, and nobody has to remember to call it.
drop trigger if exists audit on module_host.touched;
create constraint trigger audit after insert on module_host.touched deferrable initially deferred
  for each row execute function module_host.audit_touched();

revoke all on function module_host.refuse_command(), module_host.note_touched(), module_host.audit_touched() from public;

drop event trigger if exists module_commands;
create event trigger module_commands on ddl_command_start execute function module_host.refuse_command();
drop event trigger if exists module_touched;
create event trigger module_touched on ddl_command_end execute function module_host.note_touched();
