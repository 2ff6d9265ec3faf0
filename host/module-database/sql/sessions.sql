-- Whether a session of a module's role is there: without its client it is so only as long as it works. Others are nobody's
-- business, and the view is closed to the host's own roles.
create or replace function module_host.has_session(process integer, runtime name) returns boolean language sql stable security definer
set search_path = pg_catalog, pg_temp as $$
  select exists (select from pg_stat_activity s join module_host.modules m on m.runtime = s.usename
    where s.pid = process and s.usename = has_session.runtime)
$$;
revoke all on function module_host.has_session(integer, name) from public;
